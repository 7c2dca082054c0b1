import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compactMessages } from '../../src/compaction/compact.ts';
import { isTypedPrompt } from '../../src/messages/typed.ts';
import type { Message } from '../../src/messages/types.ts';
import { readTranscript } from '../../src/transcript/index.ts';
import { unpairedIds } from '../support/pairs.ts';

const shared = join(import.meta.dirname, '..', '..', '..', 'shared');
const folders = [join(shared, 'corpus'), join(shared, 'fixtures', 'hostile')];

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

const files = folders.flatMap(filesIn);
const RATIOS = [0.05, 0.1, 0.2, 0.4, 1];

function breaches(messages: readonly Message[], targetRatio: number): string[] {
  const result = compactMessages(messages, { targetRatio });
  const found: string[] = [];
  let at = 0;
  for (const message of messages) if (result.messages[at] === message) at += 1;
  if (at !== result.messages.length) found.push('survivors are not the messages themselves, in order');
  const before = new Set(unpairedIds(messages));
  if (unpairedIds(result.messages).some((id) => !before.has(id))) found.push('a pair was split');
  const held = result.verdicts.filter(({ item }) => item.protectedBy !== undefined);
  const heldTokens = held.reduce((sum, { item }) => sum + item.tokens, 0);
  if (result.afterTokens > Math.max(result.budgetTokens, heldTokens)) found.push('the budget was exceeded');
  if (held.some(({ choice }) => choice.action !== 'keep')) found.push('something protected was dropped');
  const prompt = messages.findLast(isTypedPrompt);
  if (prompt !== undefined && !result.messages.includes(prompt)) found.push('the last prompt was dropped');
  if (targetRatio === 1 && result.messages.length !== messages.length) found.push('ratio 1 dropped something');
  return found;
}

describe.skipIf(files.length === 0)('recorded and hostile sessions (skipped where ../shared is not at hand)', () => {
  test.each(files.map((file) => [file.slice(shared.length + 1), file]))('%s', async (_name, file) => {
    const live = await readTranscript(file);
    const whole = await readTranscript(file, { all: true });
    const found = [live.messages, whole.messages].flatMap((messages) =>
      RATIOS.flatMap((ratio) => breaches(messages, ratio).map((breach) => `${ratio}: ${breach}`)),
    );
    expect(found).toEqual([]);
  });
});
