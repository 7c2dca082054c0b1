/** docs/json-output.md: its examples run, and its tables name what is really printed. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { compactParamsSchema } from '../src/protocol/compact-params.ts';
import { cliRig, hasProgram } from './support/cli.ts';
import { neededSession } from './support/needs.ts';

const rig = cliRig();
const repository = join(import.meta.dirname, '..');
const page = readFileSync(join(repository, 'docs', 'json-output.md'), 'utf8');
const hasJq = hasProgram('jq');

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, body = '']) => body);

/** Names in the first column of the table under that heading of a first column. */
function namesIn(heading: string): string[] {
  const start = page.indexOf(`| ${heading} |`);
  const rows = page.slice(start).split('\n\n', 1)[0]?.split('\n').slice(2) ?? [];
  return rows.flatMap((row) => [...(row.split(' | ', 1)[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

beforeAll(() => {
  copyFileSync(join(repository, 'demo', 'session.jsonl'), join(rig.folder, 'session.jsonl'));
});

describe('the tables name every field and parameter, in order', () => {
  test('parameters', () => {
    expect(namesIn('parameter')).toEqual(Object.keys(Object(compactParamsSchema()['properties'])));
  });

  test('stats and decisions', async () => {
    const { stdout } = await rig.run(['compact', 'session.jsonl', '--detail', 'excerpt', '--explain', '--json']);
    const { stats, decisions } = JSON.parse(stdout);
    expect(namesIn('field of `stats`')).toEqual(Object.keys(stats));
    const excerpt = decisions.find((decision: object) => 'kept' in decision);
    // No memory covers anything here.
    expect(namesIn('field of `decisions[]`')).toEqual([...Object.keys(excerpt), 'covered_by']);
    expect(namesIn('field of `kept[]`')).toEqual(Object.keys(excerpt.kept[0]));
  });

  test('an evaluation and its results', async () => {
    const made = neededSession().bytes;
    writeFileSync(join(rig.folder, 'long.jsonl'), made);
    const flags = ['--methods', 'keep-last', '--ratios', '0.2', '--json'];
    const { stdout } = await rig.run(['evaluate', 'long.jsonl', ...flags]);
    const evaluation = JSON.parse(stdout);
    expect(namesIn('field of the evaluation')).toEqual(Object.keys(evaluation));
    expect(namesIn('field of `results[]`').toSorted()).toEqual(Object.keys(evaluation.results[0]).toSorted());
  });

  test("the reader's counts", async () => {
    const { stdout } = await rig.run(['transcript', 'session.jsonl', '--stats', '--json']);
    expect(namesIn('field')).toEqual(Object.keys(JSON.parse(stdout)));
  });
});

describe.skipIf(!hasJq)('the recipes run (needs jq)', () => {
  const commands = blocks('sh').flatMap((block) => (/^(?:jq|echo)/.test(block) ? [block] : block.trim().split('\n')));

  test.each(commands)('%s', async (command) => {
    const { stdout, stderr, exitCode } = await rig.shell(command);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout.trim()).not.toBe('');
    expect(stdout).not.toBe('null\n');
  });

  const event = (prompt: string, transcript: string): string =>
    JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', transcript_path: transcript, prompt });
  const [script = ''] = blocks('bash');

  test.each([
    ['plain words', 'why is it null?'],
    ['quotes, backslashes and line ends', 'why "run_at"\n\\is \'null\'? $(exit 3) `exit 3`'],
  ])('the hook script puts a line into the context, with %s in the prompt', async (_, prompt) => {
    writeFileSync(join(rig.folder, 'hook.sh'), script);
    const input = event(prompt, join(rig.folder, 'session.jsonl'));
    const { stdout, stderr, exitCode } = await rig.shell('. ./hook.sh', { input });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toMatch(/^\d+ tokens now, \d+ if compacted for this prompt\n$/);
  });

  test('the hook script is silent where there is no transcript yet', async () => {
    writeFileSync(join(rig.folder, 'hook.sh'), script);
    const run = await rig.shell('. ./hook.sh', { input: event('hello', '/nowhere.jsonl') });
    expect(run).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  });
});
