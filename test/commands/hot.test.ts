import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { CommandContext } from '../../src/commands/context.ts';
import { addDirectivesCommand } from '../../src/commands/directives.ts';
import { addHotCommand, DEFAULT_BUDGET } from '../../src/commands/hot.ts';
import { HOT_BUDGET } from '../../src/hot/assemble.ts';
import { estimateTokens } from '../../src/tokens/text.ts';
import { type Bench, benchFor } from './context.ts';
import { memoryBench } from './memory-bench.ts';

const both = (program: Command, ctx: CommandContext): void => {
  addHotCommand(program, ctx);
  addDirectivesCommand(program, ctx);
};

let bench: Bench;
beforeEach(() => {
  bench = memoryBench(both);
});
afterEach(() => bench.remove());

const charter = (text: string, name = 'AGENTS.md'): void => writeFileSync(join(bench.project, name), text);

test('the default budget is the one of the packing', () => {
  expect(DEFAULT_BUDGET).toBe(HOT_BUDGET);
});

test('prints focus, directives and charter', async () => {
  charter('Small commits.\n');
  await bench.run('directives', 'add', 'never change the public API');
  expect(await bench.run('hot', '--focus', '#12 log in')).toBe(
    '## Focus\n- #12 log in\n\n## Directives\n- never change the public API\n\n## Charter\nSmall commits.\n',
  );
  expect(bench.said.err).toBe('');
});

test('nothing is printed for nothing, and a note says so', async () => {
  expect(await bench.run('hot')).toBe('');
  expect(bench.said.err).toBe('chitta: there is nothing to say: no session, no directive, no charter\n');
});

describe('the budget', () => {
  test('is never exceeded, and what it cost is said', async () => {
    charter(Array.from({ length: 500 }, (_, i) => `Rule number ${i} of this long charter.`).join('\n'));
    await bench.run('directives', 'add', 'a rule of many words '.repeat(90));
    const printed = await bench.run('hot', '--focus', 'the login', '--budget', '200');
    expect(estimateTokens(printed.trimEnd())).toBeLessThanOrEqual(200);
    expect(bench.said.err).toBe(
      `chitta: 1 of 1 directives had no room: chitta directives list\nchitta: ${join(bench.project, 'AGENTS.md')} is cut: ${
        printed.split('\n').filter((line) => line.startsWith('Rule')).length
      } of 500 lines\n`,
    );
  });

  test('may be too small for the focus', async () => {
    const printed = await bench.run('hot', '--focus', 'a title\nanother title of many words', '--budget', '12');
    expect(printed).toBe('## Focus\n- a title\n…\n');
    expect(bench.said.err).toContain('the focus is larger than the budget of 12 and is cut: 1 of 2 titles');
  });

  test.each(['0', '-1', 'x'])('%s is refused', async (budget) => {
    await expect(bench.run('hot', '--budget', budget)).rejects.toThrow(/whole number/);
  });
});

describe('the charter', () => {
  test('may be another file', async () => {
    charter('not this');
    charter('but this', 'rules.md');
    expect(await bench.run('hot', '--charter', 'rules.md')).toBe('## Charter\nbut this\n');
  });

  test('must be there if it is named', async () => {
    await expect(bench.run('hot', '--charter', 'none.md')).rejects.toMatchObject({ code: 'E_INPUT_MISSING' });
  });
});

test('without --focus the newest session held here says what is worked on', async () => {
  const config = mkdtempSync(join(tmpdir(), 'chitta-claude-'));
  const here = benchFor(both, { CLAUDE_CONFIG_DIR: config });
  onTestFinished(() => {
    rmSync(config, { recursive: true, force: true });
    here.remove();
  });
  const folder = join(config, 'projects', here.project.replaceAll(/[^A-Za-z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  const row = (sessionId: string, content: string): string =>
    `${JSON.stringify({ type: 'user', uuid: sessionId, parentUuid: null, sessionId, message: { role: 'user', content } })}\n`;
  const files: [name: string, text: string, time: number][] = [
    ['old.jsonl', row('old', 'Look around'), 1],
    ['new.jsonl', row('new', 'Log in with a passkey'), 2],
    // Begun just now, nothing said yet.
    ['newest.jsonl', '', 3],
  ];
  for (const [name, text, time] of files) {
    writeFileSync(join(folder, name), text);
    utimesSync(join(folder, name), time, time);
  }
  expect(await here.run('hot')).toBe('## Focus\n- Log in with a passkey\n');
});

test('JSON has the documented fields', async () => {
  charter('Small commits.');
  expect(JSON.parse(await bench.run('hot', '--focus', 'log in', '--json'))).toEqual({
    text: '## Focus\n- log in\n\n## Charter\nSmall commits.',
    tokens: expect.any(Number),
    budget: 2_000,
    focus: { given: 1, shown: 1, cut: false },
    directives: { active: 0, shown: [] },
    charter: { file: join(bench.project, 'AGENTS.md'), lines: 1, shown: 1 },
    problems: [],
  });
});
