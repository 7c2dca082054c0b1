/**
 * What tools answer, as JSON Schema for their clients. Rows are those of the commands' --json; docs/memory-format.md says what the fields
 * mean. Fields only ever grow, so what is not named here is allowed; a test holds every field of an answer to be named.
 */
import * as z from 'zod';
import type { ToolName } from './tool-params.ts';

const text = z.string();
const maybe = z.string().nullable();
const count = z.number();
const flag = z.boolean();

/** Of a long text: so many characters are missing. */
const cut = { cut_chars: count.optional() };

const memory = {
  id: count,
  kind: text,
  text,
  project: maybe,
  session: maybe,
  origin: text,
  source_ids: z.array(text),
  status: text,
  superseded_by: count.nullable(),
  created: text,
  quote: text.optional(),
  topic: text.optional(),
  confidence: count.optional(),
  imported: text.optional(),
};

const turn = { handle: text, role: text, text, tokens: count, session: maybe };

const passages = {
  text,
  total_lines: count,
  lines: z.array(text),
  more: count,
  next_lines: text.optional(),
  ...cut,
};

const besides = z.array(z.looseObject({ ...turn, ...cut }));

const shownTurn = z.looseObject({
  ...turn,
  ...passages,
  source: text,
  absent: flag.optional(),
  cut: flag.optional(),
  before: besides,
  after: besides,
});

const ticket = z.looseObject({
  ticket: count,
  title: text,
  state: text,
  author: maybe,
  labels: z.array(text),
  comments: count,
  url: maybe,
  source: text,
  fetched: text,
  stale: maybe,
  ...passages,
});

const found = z.union([
  z.looseObject({ type: z.literal('memory'), score: count, ...memory, ...cut }),
  z.looseObject({ type: z.literal('turn'), score: count, ...turn, project: maybe, archived: text, ...cut }),
]);

const foundTurn = z.looseObject({
  handle: text,
  role: text,
  session: maybe,
  archived: text,
  total_lines: count,
  lines: z.array(text),
  more_lines: count,
  text,
  ...cut,
});

const directive = {
  id: count,
  text,
  status: text,
  replaces: count.nullable(),
  successor: count.nullable(),
  who: text,
  project: maybe,
  session: maybe,
  source: maybe,
  created: text,
  expires: maybe,
  active: flag,
};

const episode = {
  id: count,
  state: text,
  text,
  before_tokens: count,
  after_tokens: count,
  dropped: count,
  covered: count,
  strategy: text,
  trigger: text,
  embedding: flag,
  took_ms: count,
  session: maybe,
  project: maybe,
  last_uuid: maybe,
  transcript: maybe,
  transcript_bytes: count.nullable(),
  created: text,
  done: maybe,
};

const judged = z.array(
  z.looseObject({ handle: text, role: text, tokens: count, score: count, reason: text, line: text }),
);
const audited = z.looseObject({ checked: count, lost: z.array(text) });

const directives = z.array(z.looseObject(directive));

const RESULTS: Readonly<Record<ToolName, readonly z.ZodObject[]>> = {
  compact_context: [
    z.looseObject({
      messages: z.array(z.looseObject({})),
      stats: z.looseObject({
        before_tokens: count,
        after_tokens: count,
        dropped: count,
        dropped_pct: count,
        embedding: flag,
        vectors: z.looseObject({ used: count, total: count }),
        over_budget: flag,
        strategy: text,
        covered: count,
        excerpted: count,
        pointer_tokens: count,
        distilled: count.optional(),
        took_ms: count,
      }),
      decisions: z.array(z.looseObject({})).optional(),
    }),
  ],
  recall: [z.looseObject({ embedding: flag, found: z.array(found) })],
  search: [z.looseObject({ turns: z.array(foundTurn) })],
  show: [shownTurn, z.looseObject(memory), ticket],
  remember: [z.looseObject({ added: flag, ...memory })],
  forget: [z.looseObject({ id: count, forgotten: flag, erased: flag, removed_files: z.array(text) })],
  directives: [
    z.looseObject({ directives, proposed: directives }),
    z.looseObject({ added: flag.optional(), ...directive }),
  ],
  hot_context: [
    z.looseObject({
      text,
      tokens: count,
      budget: count,
      focus: z.looseObject({ given: count, shown: count, cut: flag }),
      directives: z.looseObject({ active: count, shown: z.array(count) }),
      charter: z.looseObject({ file: maybe, lines: count, shown: count }),
      problems: z.array(text),
    }),
  ],
  episodes: [z.looseObject({ episodes: z.array(z.looseObject(episode)) })],
  why: [
    z.looseObject({
      ...episode,
      decisions: z.looseObject({ kept: judged, dropped: judged }).nullable(),
      restored: maybe,
      audit: z.looseObject({ identifiers: audited, constraints: audited }).nullable(),
    }),
  ],
};

/** What a call that failed answers instead; clients hold it to the schema of the tool as well. */
const failed = z.looseObject({
  error: z.looseObject({ code: text, message: text, hint: text, field: text.optional() }),
});

/** JSON Schema of what a tool answers, in the draft that the SDK's clients check by. */
export function toolResultSchema(name: ToolName): Record<string, unknown> {
  const { $schema: _draft, ...schema } = z.toJSONSchema(z.union([...RESULTS[name], failed]), { target: 'draft-7' });
  return { type: 'object', ...schema };
}
