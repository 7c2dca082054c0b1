/** The whole way, with the built command line, real files and a real daemon: what is secret is in no file, what is removed neither. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SECRETS } from '../redact/secrets.ts';
import { cliRig, type Finished } from '../support/cli.ts';
import { TranscriptBuilder } from '../support/transcript.ts';

const SLOW_MS = 120_000;
/** In every text, so that there is something to remove. */
const WORD = 'xylophonequartz';

const rig = cliRig();
const runtime = mkdtempSync(join(tmpdir(), 'chitta-rt-'));
const home = rig.env['CHITTA_HOME'] ?? '';
const project = join(rig.folder, 'project');
const env = { CHITTA_RUNTIME_DIR: runtime };

/** All but a word that the mask itself is named after. */
const PLANTED = SECRETS.filter(({ secret }) => secret !== 'password');

/** Every secret in what was typed, said, called and answered, in turn. */
function rowsWith(salt: number): TranscriptBuilder {
  const rows = new TranscriptBuilder(salt);
  for (const [index, { kind, text }] of PLANTED.entries()) {
    const said = `${WORD} ${index}, about ${kind}:\n${text}\nThat must never be changed in src/${WORD}${index}.ts.`;
    const id = `toolu_${salt}_${index}`;
    switch (index % 4) {
      case 0:
        rows.prompt(said);
        break;
      case 1:
        rows.text(`m${index}`, said);
        break;
      case 2:
        rows.assistant(`m${index}`, [{ type: 'tool_use', id, name: 'Bash', input: { command: said, env: [text] } }]);
        rows.result(id, 'done');
        break;
      default:
        rows.call(`m${index}`, id);
        rows.result(id, said);
    }
  }
  rows.prompt(`Go on with ${WORD}.`);
  return rows;
}

function transcriptAt(name: string, salt: number): string {
  const path = join(rig.folder, name);
  writeFileSync(
    path,
    rowsWith(salt)
      .rows.map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  );
  return path;
}

function filesBelow(folder: string): string[] {
  // The daemon's folder goes with its last file.
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

/** What of `texts` stands in the raw bytes of a file that chitta wrote. */
function foundIn(texts: readonly { kind: string; secret: string }[]): string[] {
  return [home, runtime].flatMap(filesBelow).flatMap((path) => {
    const bytes = readFileSync(path);
    return texts.filter(({ secret }) => bytes.includes(secret)).map(({ kind }) => `${path}: ${kind}`);
  });
}

const run = (args: readonly string[], input?: string): Promise<Finished> =>
  rig.run(args, { env, cwd: project, ...(input === undefined ? {} : { input }) });

function fire(event: string, fields: Record<string, unknown>): Promise<Finished> {
  const { folder } = rig;
  const common = { session_id: 'session-1', cwd: project, transcript_path: join(folder, 'one.jsonl') };
  return run(['hook', event], `${JSON.stringify({ ...common, ...fields })}\n`);
}

/** Everything that writes, and answers to the host; what it printed is text that goes into a context. */
async function useEverything(): Promise<Finished[]> {
  const path = transcriptAt('one.jsonl', 1);
  const agent = transcriptAt('agent.jsonl', 2);
  const all = PLANTED.map(({ text }) => text).join('\n\n');
  const hooks = [
    await fire('session-start', { hook_event_name: 'SessionStart', source: 'startup' }),
    await fire('user-prompt-submit', { hook_event_name: 'UserPromptSubmit', prompt: `${WORD}\n${all}` }),
    await fire('stop', { hook_event_name: 'Stop', stop_hook_active: false }),
    await fire('subagent-stop', { hook_event_name: 'SubagentStop', agent_id: 'a1', agent_transcript_path: agent }),
    await fire('pre-compact', { hook_event_name: 'PreCompact', trigger: 'manual', custom_instructions: all }),
    await fire('post-compact', {
      hook_event_name: 'PostCompact',
      trigger: 'manual',
      compact_summary: `Summary. ${all}`,
    }),
    await fire('session-start', { hook_event_name: 'SessionStart', source: 'compact' }),
    await fire('session-end', { hook_event_name: 'SessionEnd', reason: 'exit' }),
  ];
  await run(['memory', 'add', `${WORD} ${all}`]);
  await run(['directives', 'add', `${WORD} ${PLANTED[20]?.text}`]);
  await run(['compact', path, '--json']);
  await run(['recall', WORD, PLANTED[10]?.secret ?? '']);
  const messages = PLANTED.map(({ text }) => ({ role: 'user', content: `${WORD} ${text} ${'and more. '.repeat(30)}` }));
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'compact_context', arguments: { messages, target_ratio: 0.1, distill_novel: true, query: all } },
  };
  const answer = await run([], `${JSON.stringify(call)}\n`);
  expect(answer.stdout).toContain('"result"');
  // A value that no method takes, and a line that is no JSON, for the log.
  await run([], `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":${JSON.stringify(all)}}}\n${all}\n`);
  return hooks;
}

beforeAll(() => {
  mkdirSync(project);
});

afterAll(async () => {
  await run(['daemon', 'stop']);
  rmSync(runtime, { recursive: true, force: true });
}, SLOW_MS);

describe('secrets', () => {
  test(
    'of all kinds, planted everywhere, are in no file and in nothing that hooks print',
    async () => {
      expect(PLANTED.length).toBeGreaterThan(100);
      const warmed = await run(['daemon', 'warm', transcriptAt('one.jsonl', 1)]);
      expect(warmed).toMatchObject({ exitCode: 0 });
      const hooks = await useEverything();
      expect(hooks.map(({ exitCode }) => exitCode)).toEqual(hooks.map(() => 0));
      const names = filesBelow(home).map((path) => path.slice(home.length + 1));
      expect(names).toEqual(expect.arrayContaining(['memory.db', 'vectors.db']));
      expect(foundIn([{ kind: 'the word', secret: WORD }])).not.toEqual([]);
      expect(foundIn(PLANTED)).toEqual([]);
      const printed = hooks.map(({ stdout }) => stdout).join('\n');
      expect(printed).toContain(WORD);
      expect(PLANTED.filter(({ secret }) => printed.includes(secret)).map(({ kind }) => kind)).toEqual([]);
    },
    SLOW_MS,
  );
});

describe('with a daemon that runs', () => {
  test(
    'memory forget takes a memory out of every file',
    async () => {
      const { stdout } = await run(['memory', 'add', 'the code word is zanzibarplinth']);
      await run(['recall', 'zanzibarplinth']);
      const { exitCode, stderr } = await run(['memory', 'forget', stdout.trim()]);
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining('is forgotten')]);
      expect(foundIn([{ kind: 'the word', secret: 'zanzibar' }])).toEqual([]);
    },
    SLOW_MS,
  );

  test(
    'purge takes a session, then everything, out of every file',
    async () => {
      writeFileSync(join(home, 'memory.db.corrupt-2026-01-01'), WORD);
      writeFileSync(join(home, 'memory.db.backup-v2'), WORD);
      const counted = await run(['purge', '--session', 'session-1', '--dry-run', '--json']);
      expect(JSON.parse(counted.stdout)).toMatchObject({ dry_run: true });
      expect(JSON.parse(counted.stdout).turns).toBeGreaterThan(100);
      const session = await run(['purge', '--session', 'session-1', '--yes', '--json']);
      expect(JSON.parse(session.stdout)).toMatchObject({ erased: true });
      expect(JSON.parse((await run(['purge', '--session', 'session-1', '--dry-run', '--json'])).stdout).turns).toBe(0);
      const all = await run(['purge', '--all', '--yes', '--json']);
      expect(all.exitCode).toBe(0);
      expect(JSON.parse(all.stdout)).toMatchObject({ erased: true });
      expect(foundIn([{ kind: 'the word', secret: WORD }])).toEqual([]);
      expect(JSON.parse((await run(['daemon', 'status', '--json'])).stdout)).toMatchObject({ running: false });
      expect(filesBelow(home).filter((path) => path.includes('vectors'))).toEqual([]);
    },
    SLOW_MS,
  );
});
