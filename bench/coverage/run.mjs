// What counts as covered, and whether the memory really has it: the daemon's own index and judgement over the real store and model, against
// the likeness of the nearest memory alone.
import { loaded, root } from '../recall/code.mjs';
import { makeCases } from '../recall/coverage.mjs';
import { staged } from '../recall/stage.mjs';

const SEED = 20;
const HELD_SEED = 21;
const COVERED = 0.75;
const REACH = 0.99;

const percent = (part, of) => (of === 0 ? '–' : `${((100 * part) / of).toFixed(0)} %`);

/** Each case with the likeness of its nearest memory and with its coverage. */
async function judged(code, embedder, options) {
  const cases = makeCases(options);
  const memories = cases.flatMap((one, place) => one.memories.map((text) => ({ project: `/case/${place}`, text })));
  const stage = await staged(code, embedder, { memories, turns: [] });
  try {
    const turns = [...new Set(cases.map(({ turn }) => turn))];
    const vectors = await stage.vectorsOf(turns, 'passage');
    const vectorOf = new Map(turns.map((turn, place) => [turn, vectors[place]]));
    const rows = [];
    for (const [place, { trap, holds, turn }] of cases.entries()) {
      const [project, vector] = [`/case/${place}`, vectorOf.get(turn)];
      const [coverage = 0] = await stage.coverage([{ text: turn, vector, sourceId: undefined }], project);
      const [{ cosine } = { cosine: 0 }] = await stage.similar(vector, project, 1);
      rows.push({ trap, holds, byCosine: cosine >= COVERED, byChitta: coverage >= COVERED });
    }
    return rows;
  } finally {
    stage.close();
  }
}

/** Of what counts as covered, what share is; and of what could be, what share counts. */
function measured(rows, field) {
  const covered = rows.filter((row) => row[field]);
  const right = covered.filter(({ holds }) => holds).length;
  const could = rows.filter(({ holds }) => holds).length;
  return {
    precision: right / Math.max(1, covered.length),
    text: `${percent(right, covered.length)} · ${percent(right, could)}`,
  };
}

function table(rows, label) {
  const traps = [...new Set(rows.map(({ trap }) => trap))];
  const counted = traps.map((trap) => {
    const mine = rows.filter((row) => row.trap === trap);
    const of = (field) => percent(mine.filter((row) => row[field]).length, mine.length);
    return [`${label}${trap}`, mine[0].holds ? 'yes' : 'no', mine.length, of('byCosine'), of('byChitta')];
  });
  const all = ['byCosine', 'byChitta'].map((field) => measured(rows, field).text);
  return [...counted, [`${label}precision · share of what is held`, '', rows.length, ...all]];
}

export async function run() {
  const code = await loaded();
  const embedder = await code.loadEmbedder(code.defaultModel(root), {});
  const known = await judged(code, embedder, { seed: SEED });
  const held = await judged(code, embedder, { seed: HELD_SEED, held: true });
  await embedder.dispose();
  const both = [...known, ...held];
  const { precision } = measured(both, 'byChitta');
  const { precision: alone } = measured(both, 'byCosine');
  return {
    name: 'coverage',
    title: `Turns that count as covered (${COVERED} or more) beside a memory that has the turn's facts, or only looks like it`,
    columns: ['memory', 'has them', 'turns', 'likeness alone', 'as shipped'],
    rows: [...table(known, ''), ...table(held, 'held out: ')],
    notes: [
      'Each turn has a project of its own. Held out: kinds of facts by which no rule was made.',
      `Precision over both, likeness alone: ${alone.toFixed(3)}.`,
      'Two facts that stand in two memories never count together, which costs their tokens.',
    ],
    targets: [
      {
        what: 'turns counted as covered whose facts the memory has',
        reach: `≥ ${REACH}`,
        value: precision.toFixed(3),
        met: precision >= REACH,
      },
    ],
  };
}
