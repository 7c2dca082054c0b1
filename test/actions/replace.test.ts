import { describe, expect, test } from 'vitest';
import { compactChecked } from '../../src/actions/compact.ts';
import { type ReplaceAnswer, type ReplaceDeps, replaceContext } from '../../src/actions/replace.ts';
import type { Episode } from '../../src/ports/episodes.ts';
import type { Withheld } from '../../src/ports/withheld.ts';

interface Entry {
  readonly role: string;
  readonly text: string;
  readonly toolUses: readonly object[];
  readonly toolResults?: readonly object[];
  readonly handle: string;
}

function said(role: string, text: string, handle: string): Entry {
  return { role, text, toolUses: [], handle };
}

function called(id: string, result: string): Entry[] {
  const use = { tool_use_id: id, tool: 'Bash', input: { command: `print ${id}` }, result, text: result };
  return [
    { role: 'assistant', text: '', toolUses: [use], handle: `call-${id}` },
    {
      role: 'user',
      text: '',
      toolUses: [],
      toolResults: [{ tool_use_id: id, text: result, isError: false }],
      handle: `result-${id}`,
    },
  ];
}

function session(turns: number, rows = 200): Entry[] {
  const all = Array.from({ length: turns }, (_, turn) => {
    const result = Array.from({ length: rows }, (__, row) => `turn ${turn} row ${row} of the ledger`).join('\n');
    return [
      said('user', `Check page ${turn}.`, `p${turn}`),
      ...called(`t${turn}`, result),
      said('assistant', `Page ${turn} is right.`, `a${turn}`),
    ];
  });
  return all.flat();
}

function withheld(told: Partial<Withheld> = {}): Withheld {
  return { media: new Map(), thinks: false, model: undefined, ...told };
}

function deps(
  settings: Partial<ReplaceDeps['settings']> = {},
): ReplaceDeps & { episodes: Omit<Episode, 'project'>[]; left: unknown[]; passing: string[] } {
  const episodes: Omit<Episode, 'project'>[] = [];
  const left: unknown[] = [];
  const passing: string[] = [];
  return {
    settings: { mode: 'replace', disabled: false, private: false, targetRatio: 0.4, budgetTokens: 80_000, ...settings },
    elapsed: () => 0,
    compact: (params, options) => compactChecked(params, options),
    recordReplacement: async ({ episode, stillThere }) => {
      episodes.push(episode);
      if (stillThere !== undefined) left.push(stillThere);
    },
    noteReplaced: (session) => void passing.push(session),
    withheldOf: async () => withheld(),
    log: () => undefined,
    episodes,
    left,
    passing,
  };
}

function survivorsIn(answer: ReplaceAnswer): Extract<ReplaceAnswer, { front: string }>['survivors'] {
  if ('refused' in answer) throw new Error(answer.refused);
  return answer.survivors;
}

describe('a request', () => {
  test('is answered by indices and edits whose lines are all of the original or marks, pairs together', async () => {
    const messages = session(12);
    const used = deps();
    const answer = await replaceContext({ session: 's', trigger: 'manual', messages }, used);
    const survivors = survivorsIn(answer);
    const kept = new Set(survivors.map(({ index }) => index));
    const halves = survivors.flatMap(({ index }) => {
      const { toolUses, toolResults = [] } = messages[index]!;
      return [...(toolUses.length > 0 ? [index + 1] : []), ...(toolResults.length > 0 ? [index - 1] : [])];
    });
    expect(halves.filter((index) => !kept.has(index))).toEqual([]);
    const lines = new Set(messages.flatMap((entry) => JSON.stringify(entry).split(/\\n|"/)));
    const written = survivors.flatMap(({ results = {} }) => Object.values(results).flatMap((text) => text.split('\n')));
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter((line) => !line.startsWith('[chitta:') && !lines.has(line))).toEqual([]);
    expect(JSON.stringify(answer)).toContain('chitta show HANDLE --about WORD');
    expect(used.episodes).toMatchObject([
      { session: 's', state: 'done', trigger: 'manual', strategy: 'need', lastUuid: 'a11' },
    ]);
    expect(used.left).toHaveLength(1);
  });

  test('leaves behind which messages were kept, which of them in part, and which dropped', async () => {
    const used = deps();
    const answer = await replaceContext({ session: 's', trigger: 'manual', messages: session(12) }, used);
    const [{ decisions, dropped } = { decisions: undefined, dropped: 0 }] = used.episodes;
    const kept = survivorsIn(answer).filter(({ results }) => results !== undefined).length;
    expect(decisions?.kept.filter(({ reason }) => reason.endsWith(', in part'))).toHaveLength(kept);
    expect(decisions?.dropped).toHaveLength(Math.min(dropped, 20));
    expect(decisions?.kept[0]).toMatchObject({
      handle: expect.stringMatching(/^#[a-z2-7]{7}$/),
      line: expect.stringMatching(/page|turn/i),
    });
  });

  test('of a large context is answered in little', async () => {
    const answer = await replaceContext({ trigger: 'auto', messages: session(60, 300) }, deps());
    expect(survivorsIn(answer).length).toBeGreaterThan(0);
    expect(JSON.stringify(answer).length).toBeLessThan(500_000);
  });
});

describe('a replacement that cannot be recorded is noted for the next hook', () => {
  const asked = { session: 's', trigger: 'auto', messages: session(12) };
  const failing = (): Promise<void> => Promise.reject(new Error('no disk'));

  test.each<[string, Partial<ReplaceDeps>, object, string[]]>([
    ['but not where it is recorded', {}, {}, []],
    ['where the session is private', { settings: { ...deps().settings, private: true } }, {}, ['s']],
    ['where there is no disk', { recordReplacement: failing }, {}, ['s']],
    ['but not where it may be thrown away', { recordReplacement: failing }, { trigger: 'precompute' }, []],
    ['but not without a session', { recordReplacement: failing }, { session: undefined }, []],
  ])('%s', async (_, more, request, noted) => {
    const used = deps();
    survivorsIn(await replaceContext({ ...asked, ...request }, { ...used, ...more }));
    expect(used.passing).toEqual(noted);
  });
});

describe('a refusal leaves no trace', () => {
  test.each<[string, object, Partial<ReplaceDeps['settings']>]>([
    ['in mode guide', { messages: session(12) }, { mode: 'guide' }],
    ['where chitta is off', { messages: session(12) }, { disabled: true }],
    ["of a sub-agent's context", { messages: session(12), agent: 'a1' }, {}],
    ['without messages', {}, {}],
    ['of an empty list', { messages: [] }, {}],
    ['of messages that are none', { messages: [1, null, 'x'] }, {}],
    ['of calls that are none', { messages: [{ role: 'assistant', text: '', toolUses: [{}] }] }, {}],
    ['where it would save too little', { messages: session(12) }, { targetRatio: 0.95 }],
    ['where one prompt alone is too large', { messages: [said('user', 'word '.repeat(20_000), 'p')] }, {}],
  ])('%s', async (_, request, settings) => {
    const used = deps(settings);
    expect(await replaceContext({ session: 's', trigger: 'manual', ...request }, used)).toHaveProperty('refused');
    expect([...used.episodes, ...used.left]).toEqual([]);
  });

  test.each<[string, object, string]>([
    [
      'contents of an unknown kind',
      { ...said('user', 'See this.', 'x'), clips: [{ data: 'a' }] },
      'no list of messages',
    ],
    ['an unknown role', said('system', 'See this.', 'x'), 'no list of messages'],
    [
      'a result without text',
      { ...said('user', '', 'x'), toolResults: [{ tool_use_id: 't0' }] },
      'no list of messages',
    ],
    ['nothing in it, for no known reason', said('user', '', 'x'), 'an entry of which it is not known what it holds'],
  ])('where an entry has %s', async (_, entry, refused) => {
    const messages = [...session(6), entry, ...session(6)];
    expect(await replaceContext({ session: 's', trigger: 'manual', messages }, deps())).toEqual({ refused });
  });

  test('that comes too late', async () => {
    const used = { ...deps(), elapsed: () => 4_100 };
    expect(await replaceContext({ trigger: 'manual', messages: session(12) }, used)).toHaveProperty('refused');
    expect([...used.episodes, ...used.left]).toEqual([]);
  });

  test('of a call without its result', async () => {
    const messages = [...session(12), ...called('open', 'x').slice(0, 1)];
    expect(await replaceContext({ trigger: 'manual', messages }, deps())).toHaveProperty('refused');
  });
});

describe('a turn that goes on from a result', () => {
  const open = [...session(12), said('user', 'Check page 12.', 'p12'), ...called('t12', 'fine')];
  const answerTo = (model: string | undefined, told: Partial<Withheld>, asked: object = {}): Promise<ReplaceAnswer> => {
    const used = { ...deps(), withheldOf: async () => withheld({ thinks: true, model, ...told }) };
    return replaceContext({ session: 's', trigger: 'auto', messages: open, ...asked }, used);
  };

  test.each([
    'claude-3-7-sonnet-20250219',
    'claude-sonnet-4-20250514',
    'claude-opus-4',
    'claude-opus-4-1-20250805',
    'claude-sonnet-4-5',
    'claude-haiku-4-5-20251001',
    'eu.anthropic.claude-opus-4-5-20251101-v1:0',
    'claude-opus-4@20250514',
  ])('is left to the host where %s must go on from its thinking', async (model) => {
    expect(await answerTo(model, {})).toMatchObject({ refused: expect.stringContaining('thinking') });
  });

  test.each<[string, string | undefined, Partial<Withheld>, object]>([
    ['a model that thinks adaptively', 'claude-opus-4-6', {}, {}],
    ['a later one', 'claude-sonnet-5-1', {}, {}],
    ['an unknown model', undefined, {}, {}],
    ['a model that did not think', 'claude-sonnet-4-5', { thinks: false }, {}],
    ['one that is asked to compact between turns', 'claude-sonnet-4-5', {}, { trigger: 'manual' }],
    ['one whose turn is over', 'claude-sonnet-4-5', {}, { messages: session(12) }],
  ])('is replaced for %s', async (_, model, told, asked) => {
    expect(survivorsIn(await answerTo(model, told, asked)).length).toBeGreaterThan(0);
  });
});

test('what is compacted ahead of time is not yet history, and everything is still in the context', async () => {
  const used = deps();
  survivorsIn(await replaceContext({ session: 's', trigger: 'precompute', messages: session(12) }, used));
  expect(used.episodes).toMatchObject([{ state: 'proposed' }]);
  expect(used.left).toEqual([]);
});

describe('images, which the host hands over to nobody', () => {
  const picture = (media: number): Entry[] => {
    const [call, result] = called('shot', '');
    const toolResults = [{ tool_use_id: 'shot', text: '', isError: false, media }];
    return [call!, { ...result!, toolResults }, said('assistant', 'The button is red.', 'seen')];
  };
  const early = (): Entry[] => [
    ...session(3),
    said('user', 'Compare with this drawing.', 'drawn'),
    ...picture(1),
    ...session(9),
  ];

  test('are named in front, those of prompts by the transcript, whether their message stays or not', async () => {
    const used = { ...deps(), withheldOf: async () => withheld({ media: new Map([['drawn', 2]]) }) };
    const answer = await replaceContext({ session: 's', trigger: 'auto', messages: early() }, used);
    if ('refused' in answer) throw new Error(answer.refused);
    expect(answer.front).toContain('Images and documents are gone');
    expect(answer.front).toMatch(/> #\w+ \(2\) Compare with this drawing\./);
    expect(answer.front).toMatch(/> #\w+ print shot/);
  });

  test('leave a mark where a message that stays would be empty', async () => {
    const messages = [...session(9), said('user', 'And this?', 'p'), ...picture(1)];
    const survivors = survivorsIn(await replaceContext({ session: 's', trigger: 'manual', messages }, deps()));
    const index = messages.findIndex(({ handle }) => handle === 'result-shot');
    expect(survivors.find((one) => one.index === index)).toMatchObject({
      results: { shot: '[chitta:gap an image or document stood here]' },
    });
  });

  test.each([
    ['read by a tool', [...session(12), said('user', 'And this?', 'p'), ...picture(1).slice(0, 2)]],
    ['in the prompt', [...session(12), said('user', 'And this?', 'drawn'), said('assistant', 'I see.', 'q')]],
  ])('of the turn that is going on are left to the summary: %s', async (_, messages) => {
    const used = { ...deps(), withheldOf: async () => withheld({ media: new Map([['drawn', 1]]) }) };
    const refused = 'an image of the turn that is going on cannot be carried over';
    expect(await replaceContext({ session: 's', trigger: 'auto', messages }, used)).toEqual({ refused });
  });

  test('without a word are known by the transcript alone', async () => {
    const messages = [...session(3), said('user', '', 'drawn'), said('assistant', 'A boat.', 'b'), ...session(9)];
    const used = { ...deps(), withheldOf: async () => withheld({ media: new Map([['drawn', 1]]) }) };
    const answer = await replaceContext({ session: 's', trigger: 'auto', messages }, used);
    expect(answer).toHaveProperty('front', expect.stringContaining('a prompt without words'));
  });

  test.each([
    ['is not known', async () => undefined],
    ['cannot be read', () => Promise.reject(new Error('gone'))],
  ])('are spoken of in general where the transcript %s', async (_, withheldOf) => {
    const answer = await replaceContext(
      { session: 's', trigger: 'auto', messages: session(12) },
      { ...deps(), withheldOf },
    );
    expect(answer).toHaveProperty('front', expect.stringContaining('Images, if there were any, are gone.'));
  });

  test('cost no word where there are none', async () => {
    const answer = await replaceContext({ session: 's', trigger: 'auto', messages: session(12) }, deps());
    expect(JSON.stringify(answer)).not.toMatch(/[Ii]mages/);
  });
});
