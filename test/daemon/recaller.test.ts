/** What a client makes of what daemons of several versions answer. */
import { expect, test } from 'vitest';
import type { Connection } from '../../src/daemon/client.ts';
import { createRecaller } from '../../src/daemon/recaller.ts';
import { vectorVerbs } from '../../src/daemon/score.ts';
import { Complaints } from '../../src/daemon/complaints.ts';
import type { Memories, Turns } from '../../src/daemon/parts.ts';
import { Vectors } from '../../src/daemon/vectors.ts';

const hello = { chitta: 1, build: '1', model: 'm', state: 'ready' } as const;
const memory = { id: 1, cosine: 0.9 };

function answering(result: Readonly<Record<string, unknown>>, asked: unknown[] = []): Connection {
  return {
    state: 'connected',
    hello,
    call: async (_verb, params) => {
      asked.push(params);
      return { state: 'answered', result };
    },
    close: () => undefined,
  };
}

test.each([
  ['a daemon that knows only memories', { similar: [memory], vector: true }, undefined],
  ['one whose vector is late', { turns: [], vector: false }, undefined],
  ['one that has none', { turns: [], vector: true }, []],
  [
    'one with turns',
    { turns: [{ id: 7, cosine: 0.8, like: [1, 'x'] }, { id: 'x' }], vector: true },
    [{ id: 7, cosine: 0.8, like: [1] }],
  ],
  ['one that says less of them', { turns: [{ id: 7, cosine: 0.8 }], vector: true }, [{ id: 7, cosine: 0.8, like: [] }]],
])('turns by likeness from %s', async (_, result, expected) => {
  const recaller = createRecaller(
    async () => answering(result),
    () => undefined,
  );
  expect(await recaller.similarTurns('a question', '/p', 5, 1_000)).toEqual(expected);
});

test('without a project nobody is asked for turns', async () => {
  const asked: unknown[] = [];
  const recaller = createRecaller(
    async () => answering({}, asked),
    () => undefined,
  );
  expect(await recaller.similarTurns('a question', undefined, 5, 1_000)).toBeUndefined();
  expect(asked).toEqual([]);
});

/** A daemon's verbs over a model of one vector, and what it was asked. */
async function verbs(turns: Turns | undefined) {
  const complaints = new Complaints(() => undefined);
  const vectors = new Vectors({
    embedding: {
      model: 'm',
      load: async () => ({
        embed: async (texts) => texts.map(() => Float32Array.of(1)),
        dispose: async () => undefined,
      }),
      known: { get: () => [], peek: () => [], put: () => undefined, bytes: () => 0, close: () => undefined },
    },
    complaints,
    onStuck: () => undefined,
    stuckAfterMs: 10_000,
  });
  await vectors.load();
  const memories: Memories = {
    coverage: async () => [],
    recall: async () => [],
    forPrompt: async () => ({}),
    similar: async () => [memory],
    missing: async () => [],
    putVectors: async () => undefined,
    close: () => undefined,
    ...(turns === undefined ? {} : { turns }),
  };
  const { recall } = vectorVerbs({ vectors, memories, complaints, fill: async () => undefined });
  return async (params: Readonly<Record<string, unknown>>) => {
    const { signal } = new AbortController();
    return recall({
      params: { query: 'q', project: '/p', ...params },
      owner: {},
      signal,
      until: performance.now() + 10_000,
    });
  };
}

const said: Turns = {
  follow: async () => undefined,
  similar: async (_vector, project, limit) => (project === '/p' ? [{ id: 7, cosine: 0.8, like: [limit] }] : []),
  takeOpen: async () => [],
  put: () => undefined,
};

test('a client that does not ask for turns gets memories, as ever; one that does gets turns', async () => {
  const ask = await verbs(said);
  expect(await ask({ similar: true, limit: 3 })).toEqual({ similar: [memory], vector: true });
  expect(await ask({ similar: true, limit: 3, of: 'turns' })).toEqual({
    turns: [{ id: 7, cosine: 0.8, like: [3] }],
    vector: true,
  });
});

test('where only memories have vectors, a client that asks for turns does without', async () => {
  const ask = await verbs(undefined);
  expect(await ask({ similar: true, limit: 3, of: 'turns' })).toEqual({ turns: [], vector: false });
});
