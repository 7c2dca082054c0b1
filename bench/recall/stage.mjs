// A world in a real store, with the vectors of the real model, asked in the daemon's own way: its index, its recall, its deadlines.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MS = 60_000;
/** As many as are embedded of a prompt while a person waits. */
const PROMPT_TOKENS = 48;
const LIMIT = 10;
const RANK_CONSTANT = 60;

function asRows({ found }) {
  return found.map((one) =>
    one.kind === 'memory'
      ? { kind: 'memory', id: one.memory.id, text: one.memory.text, project: one.memory.project }
      : { kind: 'turn', handle: one.turn.handle, text: one.turn.text, project: one.turn.project },
  );
}

/** Nothing is found by words. */
const wordless = (store) => ({ ...store, searchText: async () => ({ memories: [], turns: [] }) });

/** Memories by words, memories by likeness and turns by words as one list by reciprocal rank: the usual way, to compare with. */
async function fused(store, nearest, { text, project }, vector) {
  const [words, similar] = await Promise.all([
    store.searchText(text, project, 4 * LIMIT, MS),
    nearest.similar(vector, project, 4 * LIMIT),
  ]);
  const near = similar.filter(({ cosine }) => cosine >= 0.3).map(({ id }) => id);
  const memories = new Map((await store.memoriesById(near, MS)).map((memory) => [memory.id, memory]));
  for (const memory of words.memories) memories.set(memory.id, memory);
  const scores = new Map();
  const rank = (list) =>
    list.forEach((one, place) => scores.set(one, (scores.get(one) ?? 0) + 1 / (RANK_CONSTANT + place + 1)));
  rank(words.memories.map(({ id }) => memories.get(id)));
  rank(near.map((id) => memories.get(id)));
  rank(words.turns);
  const best = [...scores].toSorted((a, b) => b[1] - a[1]).slice(0, LIMIT);
  return asRows({
    found: best.map(([one]) =>
      one.handle === undefined ? { kind: 'memory', memory: one } : { kind: 'turn', turn: one },
    ),
  });
}

/** Each memory of `texts` with its vector, in the order given; answers their ids. */
async function remember(store, embedder, modelId, texts) {
  const ids = [];
  for (const { project, text, supersedes } of texts) {
    const memory = { kind: 'fact', project, session: undefined, origin: 'person', text, sourceIds: [] };
    const { memory: stored } = await store.remember(memory, MS, supersedes === undefined ? [] : [ids[supersedes]]);
    ids.push(stored.id);
  }
  const distinct = [...new Set(texts.map(({ text }) => text))];
  const vectors = await embedder.embed(distinct, { kind: 'passage' });
  const vectorOf = new Map(distinct.map((text, place) => [text, vectors[place]]));
  const made = texts.map(({ text }, place) => ({ id: ids[place], vector: vectorOf.get(text) }));
  await store.putVectors(modelId, made, MS);
  return ids;
}

/** Opens a store of its own for `memories` and `turns`; `close` removes it. */
export async function staged(code, embedder, { memories, turns }) {
  const home = mkdtempSync(join(tmpdir(), 'chitta-bench-recall-'));
  const store = code.openMemory({ home });
  const { id: model, dim } = embedder.model;
  const ids = await remember(store, embedder, model, memories);
  const archived = turns.map(({ project, role, text }, place) => ({
    handle: `#${String(place).padStart(7, '0')}`,
    session: `session ${place % 9}`,
    project,
    uuid: `turn-${place}`,
    role,
    text,
    tokens: 20,
    left: true,
  }));
  if (archived.length > 0) await store.archive(archived, MS);
  const nearest = code.nearestMemories(store, model, dim);
  while (!(await nearest.refresh(MS)));
  // As after a session that was followed: what was said has its vector, and the index finds it by its text.
  const said = [...new Set(turns.map(({ text }) => text))];
  const made = await embedder.embed(said, { kind: 'passage' });
  const vectorOf = new Map(said.map((text, place) => [text, made[place]]));
  const nearestTurns = code.nearestTurns({ store, dim, vectorsOf: (texts) => texts.map((text) => vectorOf.get(text)) });
  const daemon = (over) =>
    code.databaseMemories({
      store: over,
      nearest,
      nearestTurns,
      model,
      recall: async (asked, request, ...similar) => asRows(await code.recall(asked, request, ...similar)),
      recallForPrompt: async () => ({ text: '', tokens: 0 }),
      log: () => undefined,
    });
  const [both, byMeaning] = [daemon(store), daemon(wordless(store))];
  return {
    home,
    store,
    ids,
    handles: archived.map(({ handle }) => handle),
    vectorsOf: (texts, kind) => embedder.embed(texts, kind === 'query' ? { kind, maxTokens: PROMPT_TOKENS } : { kind }),
    /** Answers of each way: as shipped, by reciprocal rank, by words alone, by vectors alone. */
    ask: async ({ text, project }, vector) => ({
      hybrid: await both.recall({ query: text, vector, project, limit: LIMIT }, MS),
      fusion: await fused(store, nearest, { text, project }, vector),
      words: asRows(await code.recall(store, { query: text, project, limit: LIMIT, deadlineMs: MS })),
      vectors: await byMeaning.recall({ query: text, vector, project, limit: LIMIT }, MS),
    }),
    similar: (vector, project, limit) => nearest.similar(vector, project, limit),
    coverage: (asked, project) => nearest.coverage(asked, project, MS),
    close: () => {
      store.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
