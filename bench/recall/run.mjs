// Recall over made-up projects whose answers are known: the real store with its full-text index, the real model, and the daemon's own way
// from a question to its answer. Thresholds were chosen by one half of the questions; what is told here is the other half, and kinds of facts
// that nothing was chosen by.
import { loaded, root } from './code.mjs';
import { asked, figures, FIRST, WAYS } from './ranked.mjs';

const SEED = 20;
const HELD_SEED = 21;
const REACH = { memories: 0.95, turns: 0.7, foreign: 0.9 };

const KINDS = ['words', 'other words', 'identifier', 'parts of a name', 'mistyped', 'changed since'];
const isAnswered = ({ kind }) => KINDS.includes(kind);
const percent = (share) => `${(100 * share).toFixed(0)} %`;
const shareOf = (rows, test) => rows.filter(test).length / Math.max(1, rows.length);

function rowOf(label, rows) {
  const cells = WAYS.map((way) => {
    const { recall, mrr } = figures(rows, way);
    return `${recall.toFixed(2)} · ${mrr.toFixed(2)}`;
  });
  return [label, rows.length, ...cells];
}

function rowsFor({ rows }, label) {
  return ['memory', 'turn'].flatMap((answers) => {
    const mine = rows.filter((row) => isAnswered(row) && row.answers === answers);
    const kinds = KINDS.map((kind) => [kind, mine.filter((row) => row.kind === kind)]);
    return [
      ...kinds.flatMap(([kind, of]) => (of.length === 0 ? [] : [rowOf(`${label}${kind}, in a ${answers}`, of)])),
      rowOf(`${label}all, in a ${answers}`, mine),
    ];
  });
}

export async function run() {
  const code = await loaded();
  const embedder = await code.loadEmbedder(code.defaultModel(root), {});
  const world = await asked(code, embedder, { seed: SEED });
  const held = await asked(code, embedder, { seed: HELD_SEED, held: true });
  await embedder.dispose();
  const reported = { ...world, rows: world.rows.filter(({ half }) => half === 1) };
  const all = [...world.rows, ...held.rows];
  const told = [...reported.rows, ...held.rows];
  const sum = (field) => all.reduce((total, row) => total + row[field], 0);
  const of = (kind) => told.filter((row) => row.kind === kind);
  const silent = (kind, way) => shareOf(of(kind), ({ empty }) => empty[way]);
  const answered = (answers) => told.filter((row) => isAnswered(row) && row.answers === answers);
  const changed = told.filter(({ old }) => old !== undefined);
  const [inMemories, inTurns] = ['memory', 'turn'].map((answers) => figures(answered(answers), 'hybrid').recall);
  const [foreign, superseded, elsewhere] = [silent('foreign', 'hybrid'), sum('superseded'), sum('elsewhere')];
  return {
    name: 'recall',
    title: `Where the answer stands: recall@${FIRST} · mean reciprocal rank`,
    columns: ['question', 'count', 'as shipped', 'reciprocal rank fusion', 'words alone', 'vectors alone'],
    rows: [...rowsFor(reported, ''), ...rowsFor(held, 'held out: ')],
    notes: [
      `${world.memories} memories and ${world.turns} turns of three projects with the same parts; ${held.memories} and ${held.turns} where the kinds of facts were held out. Distractors: the same facts of other parts, and of the same parts in other projects; idle talk about each part.`,
      `No answer to a question about nothing that is known: ${WAYS.map((way) => `${percent(silent('foreign', way))} (${way})`).join(', ')}; of ${of('foreign').length}.`,
      `No answer to a question about something known of other parts only, such as the port of a service whose port nobody told: ${percent(silent('close by', 'hybrid'))} of ${of('close by').length}. The nearest are given; whoever asks must read whose they are.`,
      `Facts that changed: in ${percent(shareOf(changed, ({ isStaleFirst }) => isStaleFirst))} of ${changed.length} questions about them a turn of before, which the archive keeps, stands above the memory of now. Superseded memories are never found.`,
    ],
    targets: [
      { what: 'superseded memories found', reach: '0', value: String(superseded), met: superseded === 0 },
      { what: 'texts of other projects found', reach: '0', value: String(elsewhere), met: elsewhere === 0 },
      {
        what: `recall@${FIRST}, answer in a memory`,
        reach: `≥ ${REACH.memories}`,
        value: inMemories.toFixed(2),
        met: inMemories >= REACH.memories,
      },
      {
        what: `recall@${FIRST}, answer in a turn`,
        reach: `≥ ${REACH.turns}`,
        value: inTurns.toFixed(2),
        met: inTurns >= REACH.turns,
      },
      {
        what: 'no answer where nothing is known',
        reach: `≥ ${percent(REACH.foreign)}`,
        value: percent(foreign),
        met: foreign >= REACH.foreign,
      },
    ],
  };
}
