// Questions asked in every way, and where their answers stand.
import { makeWorld } from './world.mjs';
import { staged } from './stage.mjs';

export const WAYS = ['hybrid', 'fusion', 'words', 'vectors'];
export const FIRST = 5;

const keyOf = (hit) => (hit.kind === 'memory' ? `memory ${hit.id}` : hit.handle);

/** One row for each question: the place of the answer by way (−1: not found), and what must not be found. */
export async function asked(code, embedder, options) {
  const world = makeWorld(options);
  const stage = await staged(code, embedder, world);
  try {
    const vectors = await stage.vectorsOf(
      world.questions.map(({ text }) => text),
      'query',
    );
    const rows = [];
    for (const [place, question] of world.questions.entries()) {
      const { memory, turn, old, oldTurn, id, project } = question;
      const right = memory === undefined ? stage.handles[turn] : `memory ${stage.ids[memory]}`;
      const [gone, before] = [`memory ${stage.ids[old]}`, stage.handles[oldTurn]];
      const answers = await stage.ask(question, vectors[place]);
      const row = { ...question, answers: turn === undefined ? 'memory' : 'turn', places: {}, empty: {} };
      row.superseded = 0;
      row.elsewhere = 0;
      for (const way of WAYS) {
        const hits = answers[way];
        // Another text with the very name that was asked for answers as well.
        row.places[way] = hits.findIndex((hit) => keyOf(hit) === right || (id !== undefined && hit.text.includes(id)));
        row.empty[way] = hits.length === 0;
        row.superseded += hits.filter((hit) => keyOf(hit) === gone).length;
        row.elsewhere += hits.filter((hit) => hit.project !== project).length;
      }
      const said = answers.hybrid.findIndex((hit) => keyOf(hit) === before);
      row.isStaleFirst = said >= 0 && (row.places.hybrid < 0 || said < row.places.hybrid);
      rows.push(row);
    }
    return { rows, memories: world.memories.length, turns: world.turns.length };
  } finally {
    stage.close();
  }
}

/** recall@5 and mean reciprocal rank of a way. */
export function figures(rows, way) {
  const places = rows.map(({ places: by }) => by[way]);
  const share = (sum) => sum / Math.max(1, rows.length);
  return {
    recall: share(places.filter((place) => place >= 0 && place < FIRST).length),
    mrr: share(places.reduce((sum, place) => sum + (place < 0 ? 0 : 1 / (place + 1)), 0)),
  };
}
