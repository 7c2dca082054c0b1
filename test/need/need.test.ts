import { describe, expect, test } from 'vitest';
import { compactMessages, type Compaction, type CompactOptions } from '../../src/compaction/compact.ts';
import { handleOf } from '../../src/messages/handle.ts';
import { isMark } from '../../src/messages/marks.ts';
import type { Block, Message } from '../../src/messages/types.ts';

const FILLER = 'some plain words in a row and again some plain words in a row';
const filler = (count: number): string => Array.from({ length: count }, (_, n) => `${FILLER} ${n}`).join('\n');
const user = (content: Message['content'] & string): Message => ({ role: 'user', content });
const say = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });
const code = (name: string): string => `export const ${name} = readSetting('${name}', 4000);`;

/** A call and its result. */
function call(id: string, name: string, input: unknown, content: unknown, isError = false): Message[] {
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content, ...(isError ? { is_error: true } : {}) }],
    },
  ];
}
const read = (id: string, file: string, text: string): Message[] => call(id, 'Read', { file_path: file }, text);

function excerpt(messages: readonly Message[], options: CompactOptions): Compaction {
  return compactMessages(messages, { detail: 'excerpt', ...options });
}

function textOf(messages: readonly Message[]): string {
  return JSON.stringify(messages);
}

function countOf(messages: readonly Message[], text: string): number {
  return textOf(messages).split(text).length - 1;
}

function blocksOf(message: Message | undefined): readonly Block[] {
  const { content } = message ?? {};
  return Array.isArray(content) ? content : [];
}

describe('what is kept', () => {
  test('lines that name things, and not the words around them', () => {
    const messages = [
      user('go'),
      ...read('a', 'src/main.ts', `${filler(60)}\n${code('retryLimit')}\n${filler(60)}`),
      user('then'),
    ];
    const { messages: kept } = excerpt(messages, { budgetTokens: 600 });
    expect(textOf(kept)).toContain('retryLimit');
  });

  test('of a line without end the marks count lines, and not the pieces in which it is read', () => {
    const endless = Array.from({ length: 4_000 }, (_, n) => `word${n % 7} and some plain words`).join(' ');
    const text = ['first', `${endless} ${code('retryLimit')} ${endless}`, 'last'].join('\n');
    const messages = [user('go'), ...read('a', 'src/main.ts', text), user('then')];
    const { messages: kept } = excerpt(messages, { budgetTokens: 900 });
    const marks = textOf(kept).match(/\[chitta:gap [^\]]*(?:line|lines)\]/g) ?? [];
    expect(marks.length).toBeGreaterThan(0);
    for (const mark of marks) expect(mark).toMatch(/ (?:[123] lines?|part of a line)\]$/);
  });

  test('a second copy is worth nothing while there is something new', () => {
    const copy = Array.from({ length: 16 }, (_, n) => code(`sharedName${n}`)).join('\n');
    const fresh = Array.from({ length: 16 }, (_, n) => code(`freshName${n}`)).join('\n');
    const messages = [
      user('go'),
      ...read('a', 'src/fresh.ts', fresh),
      ...read('b', 'src/one.ts', copy),
      ...read('c', 'src/one.ts', copy),
      user('then'),
    ];
    const { messages: kept } = excerpt(messages, { targetRatio: 0.72 });
    expect(countOf(kept, 'const sharedName5')).toBe(1);
    expect(countOf(kept, 'const freshName5')).toBe(1);
  });

  test('the line that a failed call fails with', () => {
    const output = `${FILLER}\nError: cannot bind the socket, it is refused\n${filler(80)}`;
    const messages = [
      user('go'),
      ...call('a', 'Bash', { command: 'npm start' }, output, true),
      say(filler(30)),
      user('then'),
    ];
    expect(textOf(excerpt(messages, { targetRatio: 0.15 }).messages)).toContain('cannot bind the socket');
  });

  test('code that an edit took away goes before code that still stands', () => {
    const lines = (word: string): string =>
      Array.from({ length: 16 }, (_, n) => `${word} words that stand in a row ${n};`).join('\n');
    const messages = [
      user('go'),
      ...read('a', 'src/a.ts', lines('gone')),
      ...read('b', 'src/b.ts', lines('live')),
      ...call(
        'c',
        'Edit',
        { file_path: 'src/a.ts', old_string: lines('gone'), new_string: '// all of it is gone now' },
        'ok',
      ),
      say('done'),
      user('then'),
    ];
    const { verdicts } = excerpt(messages, { targetRatio: 0.5 });
    const actions = verdicts.map(({ choice }) => choice.action);
    expect(actions[4]).toBe('keep');
    expect(actions[2]).not.toBe('keep');
  });

  test('what the query names goes before what it does not', () => {
    const section = (name: string): Message =>
      say(Array.from({ length: 10 }, (_, n) => `${name}_${n} ${FILLER}`).join('\n'));
    const messages = [user('go'), section('alpha_part'), section('omega_part'), say('fine'), user('then')];
    const query = Array.from({ length: 10 }, (_, n) => `alpha_part_${n}`).join(' ');
    const { messages: kept } = compactMessages(messages, { targetRatio: 0.6, query });
    expect(kept).toContain(messages[1]);
    expect(kept).not.toContain(messages[2]);
  });

  test('what a memory holds goes before what stands nowhere else', () => {
    const section = (name: string): Message =>
      say(Array.from({ length: 10 }, (_, n) => `${name}_${n} ${FILLER}`).join('\n'));
    const messages = [user('go'), section('novel_part'), section('known_part'), say('fine'), user('then')];
    const memories = [Array.from({ length: 10 }, (_, n) => `known_part_${n}`).join(' ')];
    const { messages: kept, verdicts } = compactMessages(messages, { targetRatio: 0.6, memories });
    expect(kept).toContain(messages[1]);
    expect(verdicts[2]?.choice).toMatchObject({ action: 'drop', reason: 'covered' });
  });

  test('everything, as the same objects, where everything fits', () => {
    const messages = [user('go'), { role: 'assistant', content: [] }, ...read('a', 'b.ts', filler(40)), user('then')];
    for (const detail of ['whole', 'excerpt'] as const) {
      const all = compactMessages(messages, { detail, targetRatio: 1 });
      expect(all.messages.every((message, at) => message === messages[at])).toBe(true);
      expect(all.messages).toHaveLength(messages.length);
    }
  });
});

describe('prompts', () => {
  test('come first, the newest before older ones', () => {
    const messages = [
      ...Array.from({ length: 20 }, (_, n) => user(`wish ${n}: ${FILLER}`)),
      say(filler(100)),
      user('then'),
    ];
    const { verdicts } = excerpt(messages, { targetRatio: 0.2 });
    const kept = verdicts.filter(({ choice }) => choice.reason === 'prompt').map(({ item }) => item.message);
    expect(kept.length).toBeGreaterThan(1);
    expect(kept.at(-1)).toBe(19);
    expect(verdicts[0]?.choice.action).not.toBe('keep');
  });

  test('that are long keep their head and their tail', () => {
    const long = ['It begins like this', filler(200), 'and ends like that.'].join('\n');
    const messages = [user(long), say(filler(50)), user('then')];
    const kept = excerpt(messages, { targetRatio: 0.3 }).verdicts[0]?.choice.excerpt;
    expect(kept?.content).toMatch(/^It begins like this\n/);
    expect(kept?.content).toMatch(/\nand ends like that\.$/);
    expect(String(kept?.content).split('\n').filter(isMark)).toHaveLength(1);
  });
});

describe('what is written', () => {
  const long = read('a', 'src/main.ts', [code('firstName'), filler(300), code('middleName'), filler(300)].join('\n'));
  const messages = [user('go'), ...long, user('then')];

  test('a mark stands for every gap, and the first of a message names its handle', () => {
    const [kept] = blocksOf(excerpt(messages, { targetRatio: 0.1 }).verdicts[2]?.choice.excerpt);
    const marks = String(kept?.['content']).split('\n').filter(isMark);
    expect(marks.length).toBeGreaterThan(0);
    expect(marks[0]).toContain(handleOf(messages[2]!));
    expect(marks.slice(1).some((mark) => mark.includes('#'))).toBe(false);
  });

  test('the lines named as kept are the lines that are left', () => {
    const { choice } = excerpt(messages, { targetRatio: 0.1 }).verdicts[2]!;
    const [block] = blocksOf(choice.excerpt);
    const left = String(block?.['content'])
      .split('\n')
      .filter((line) => !isMark(line));
    const before = String(blocksOf(messages[2])[0]?.['content']).split('\n');
    const [kept] = choice.kept ?? [];
    expect(kept?.of).toBe(before.length);
    expect(kept?.lines.flatMap(([first, last]) => before.slice(first, last + 1))).toEqual(left);
  });

  test('ids, types and unknown keys stay', () => {
    const marked = { ...messages[2]!, mine: 1 };
    const kept = excerpt([messages[0]!, messages[1]!, marked, messages[3]!], { targetRatio: 0.1 }).verdicts[2]?.choice
      .excerpt;
    expect(kept).toMatchObject({ role: 'user', mine: 1, content: [{ type: 'tool_result', tool_use_id: 'a' }] });
  });

  const thinking: Block = { type: 'thinking', thinking: 'about a thing', signature: 'c2ln' };
  const thought: Message = {
    role: 'assistant',
    content: [thinking, { type: 'text', text: `${code('newName')}\n${filler(400)}` }],
  };

  test.each<[why: string, list: Message[], at: number, stays: boolean]>([
    ['of an exchange that is closed goes with the first change', [user('go'), thought, user('then')], 1, false],
    ['of the open exchange stays as it is', [user('go'), thought], 1, true],
  ])('thinking %s', (_why, list, at, stays) => {
    const { choice } = excerpt(list, { targetRatio: 0.3 }).verdicts[at]!;
    expect(choice.action).toBe('excerpt');
    expect(blocksOf(choice.excerpt).includes(thinking)).toBe(stays);
  });

  test('an image of what is not kept whole gives way to a mark', () => {
    const image: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const names = Array.from({ length: 9 }, (_, n) => code(`pageName${n}`)).join('\n');
    const shot = call('a', 'Screenshot', { path: 'page.html' }, [
      image,
      { type: 'text', text: `${names}\n${filler(200)}` },
    ]);
    const result = excerpt([user('go'), ...shot, say(filler(100)), user('then')], { targetRatio: 0.2 });
    expect(result.verdicts[2]?.choice.action).toBe('excerpt');
    expect(textOf(result.messages)).not.toContain('"image"');
    expect(textOf(result.messages)).toContain('image left out');
  });

  test('a mark stands in for the user where an answer would come first', () => {
    const steps = Array.from({ length: 6 }, (_, n) => say(code(`stepName${n}`)));
    const { messages: kept } = excerpt([user(filler(300)), ...steps, user('then')], { budgetTokens: 150 });
    expect(kept[0]?.role).toBe('user');
  });
});

describe('the list of what was dropped', () => {
  const calls = Array.from({ length: 200 }, (_, n) =>
    read(`r${n}`, `/home/me/app/src/part_${n}.ts`, `${code(`partName${n}`)}\n${filler(10)}`),
  );
  const messages = [user('go'), ...calls.flat(), user('then')];

  test('names dropped calls with the handles that lead to them, in a fiftieth of the budget', () => {
    const result = excerpt(messages, { targetRatio: 0.05 });
    const [list] = result.messages;
    const entries = [...String(list?.content).matchAll(/(src\/part_\d+\.ts) (#\w{7})/g)].map(([, path, handle]) => [
      path,
      handle,
    ]);
    expect(entries.length).toBeGreaterThan(0);
    expect(result.pointerTokens).toBeLessThanOrEqual(result.budgetTokens * 0.02);
    const handles = new Map(messages.map((message) => [handleOf(message), message]));
    for (const [path, handle = ''] of entries) {
      const at = messages.indexOf(handles.get(handle)!);
      expect(textOf(messages.slice(at - 1, at + 1))).toContain(path);
      expect(result.messages).not.toContain(messages[at]);
    }
  });

  test('stands behind the system messages that lead', () => {
    const { messages: kept } = excerpt([{ role: 'system', content: 'be brief' }, ...messages], { targetRatio: 0.05 });
    expect(kept[0]).toEqual({ role: 'system', content: 'be brief' });
    expect(isMark(String(kept[1]?.content))).toBe(true);
  });

  test('is not written for whole messages', () => {
    const { messages: kept, pointerTokens } = compactMessages(messages, { targetRatio: 0.05 });
    expect(kept.every((message) => messages.includes(message))).toBe(true);
    expect(pointerTokens).toBe(0);
  });
});

describe('why', () => {
  test('says what earned a message its place, and what is lost with one', () => {
    const messages = [
      user('go'),
      say(`${code('keptName')}\n${code('otherName')}`),
      ...read('a', 'src/lost.ts', `lost_name ${filler(400)}`),
      say('fine'),
      user('then'),
    ];
    const { verdicts } = compactMessages(messages, { targetRatio: 0.05 });
    const byAction = (action: string): string[] =>
      verdicts.filter(({ choice }) => choice.action === action).flatMap(({ choice }) => choice.names?.() ?? []);
    expect(byAction('drop')).toContain('lost_name');
    expect(byAction('keep')).not.toContain('lost_name');
  });

  test('a copy of what is kept is said to be kept elsewhere', () => {
    const text = Array.from({ length: 12 }, (_, n) => `the thing_${n} is a thing`).join('\n');
    const messages = [user('go'), say(text), say(text), user('then')];
    const reasons = compactMessages(messages, { targetRatio: 0.6 }).verdicts.map(({ choice }) => choice.reason);
    expect(reasons[1]).toBe('kept-elsewhere');
    expect(['needed', 'recent']).toContain(reasons[2]);
  });

  test("chitta's own marks have no worth and go", () => {
    const messages = [user('go'), user('[chitta:gap #abcdefg 3 lines]'), say(filler(40)), user('then')];
    expect(compactMessages(messages, { targetRatio: 0.2 }).verdicts[1]?.choice).toMatchObject({
      action: 'drop',
      reason: 'own-mark',
      score: 0,
    });
  });
});
