/** Sessions in mode replace, with work that leaves much of no later use. */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Block } from '../../../src/messages/types.ts';
import { estimateMessageTokens } from '../../../src/tokens/message.ts';
import type { Host } from './hosts.ts';
import { bash } from './replies.ts';
import { blocksIn, type ModelRequest, textIn } from './requests.ts';
import { type Rig, type RigOptions, setUp } from './rig.ts';
import type { Session } from './session.ts';
import { conversationWith, type Survivors, survivorsIn } from './survivors.ts';

/** Modules are known from here on. */
const KNOWS_MODULES = /^2\.1\.(?:28[7-9]|29\d|[3-9]\d\d)/;
export const TURNS = 6;
/** Settings: the share of the context that survives at most, and the tokens. */
const TARGET_RATIO = 0.4;
export const BUDGET_TOKENS = 80_000;

/** Whether a version is too old for mode replace. */
export function isTooOld({ version }: Host): boolean {
  return version !== '' && !KNOWS_MODULES.test(version);
}

export async function setUpReplace(host: Host, options: RigOptions = {}): Promise<Rig> {
  const rig = await setUp(host, options);
  await rig.chitta('config', 'set', 'mode', 'replace');
  return rig;
}

/** Has the module find a script in place of `chitta compact`; in it, `"$0.real"` is chitta. The rig's plugin is its own. */
export function putInPlaceOfCompact({ plugin = '' }: Rig, script: string): void {
  const command = join(plugin, 'bin', 'chitta');
  if (!existsSync(`${command}.real`)) renameSync(command, `${command}.real`);
  writeFileSync(command, `#!/bin/sh\nif [ "$1" = compact ]; then\n${script}\nfi\nexec sh "$0.real" "$@"\n`);
}

/** Turns with a long argument, a long result and thinking; ends when no hook is at work any more. */
export async function work(rig: Rig, session: Session, from = 1, turns: number = TURNS): Promise<void> {
  for (let turn = from; turn < from + turns; turn++) {
    const content = Array.from({ length: 120 }, (_, line) => `note ${line} on page ${turn}`).join('\n');
    const input = { file_path: join(rig.project, `page-${turn}.md`), content };
    rig.api.reply(
      'main',
      { thinking: `Page ${turn} comes first.`, text: `I note page ${turn}.`, calls: [{ name: 'Write', input }] },
      bash(`for i in $(seq 1 300); do echo "page ${turn} row $i of the ledger"; done`, { thinking: `Row by row.` }),
      { thinking: `Sum of ${turn}.`, text: `Page ${turn} is checked; its total is in total_${turn}_cents.` },
    );
    await session.say(`Check page ${turn} of the ledger. Never write to payments_archive.`);
  }
  await rig.settled();
}

/** The newest request of the main conversation. */
export function newestMain({ api }: Rig): ModelRequest {
  const request = api.of('main').at(-1);
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

function tokensOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + estimateMessageTokens({ role: 'user', content: [block] }), 0);
}

function isTold({ type }: Block): boolean {
  return type !== 'thinking' && type !== 'image';
}

export interface Replaced extends Survivors {
  /** What of the conversation did survive, chitta's own words with it. */
  readonly tokens: number;
  /** What may survive at most. */
  readonly budget: number;
}

/** What became of a conversation, which ended with the answer to `before`, in a later request. */
export function replacedIn({ api }: Rig, after: ModelRequest, before: ModelRequest): Replaced {
  const source = conversationWith(api, before);
  const found = survivorsIn(after, source);
  const front: Block[] = found.fronts.map((text) => ({ type: 'text', text }));
  return {
    ...found,
    tokens: tokensOf([...front, ...found.whole, ...found.excerpts]),
    budget: Math.min(TARGET_RATIO * tokensOf(source.filter(isTold)), BUDGET_TOKENS),
  };
}

/** Checks what holds of every replacement; returns what survived. */
export function expectReplaced(rig: Rig, after: ModelRequest, before: ModelRequest): Replaced {
  const replaced = replacedIn(rig, after, before);
  expect(rig.api.of('summary')).toEqual([]);
  expect(replaced.fronts).toHaveLength(1);
  expect(blocksIn(textIn(after), 'restored')).toHaveLength(1);
  expect(replaced.whole.length).toBeGreaterThan(TURNS);
  expect(replaced.excerpts.length).toBeGreaterThan(0);
  expect(replaced.tokens).toBeLessThanOrEqual(replaced.budget);
  // What is not used does not survive for nothing: the budget is there to be used.
  expect(replaced.tokens).toBeGreaterThan(replaced.budget * 0.5);
  return replaced;
}
