/**
 * The time that any text takes grows with its length and not with its square: every function of src that looks at text of a
 * conversation, on texts made to send a backtracking pattern astray.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { passagesOf } from '../../src/actions/passages.ts';
import { shapeText } from '../../src/actions/shape.ts';
import { kindOf } from '../../src/commands/kind.ts';
import { compactMessages, STRATEGIES } from '../../src/compaction/compact.ts';
import { constraintsOf } from '../../src/evaluation/constraints.ts';
import { identifiersOf as judgedIdentifiersOf } from '../../src/evaluation/identifiers.ts';
import { lineOf } from '../../src/evaluation/reading.ts';
import { notesIn } from '../../src/foreign/notes.ts';
import { parseHookInput } from '../../src/hooks/input.ts';
import { focusOfText } from '../../src/hot/focus.ts';
import { proposalsIn } from '../../src/ledger/proposals.ts';
import { sentencesOf } from '../../src/ledger/prose.ts';
import { fixesIn } from '../../src/lifecycle/fixes.ts';
import { statementsIn, topicOfText } from '../../src/lifecycle/statements.ts';
import { matchExpression, phraseExpression } from '../../src/memory/fulltext.ts';
import { isMark, stripMarks, writeBlock, writeMark } from '../../src/messages/marks.ts';
import { shownText } from '../../src/messages/shown.ts';
import { isTypedPrompt } from '../../src/messages/typed.ts';
import type { Message } from '../../src/messages/types.ts';
import { viewOf } from '../../src/messages/view.ts';
import { identifiersOf } from '../../src/need/identifiers.ts';
import { hunksOf, keyOf, linesOf } from '../../src/need/lines.ts';
import { planCompaction } from '../../src/planning/plan.ts';
import { said } from '../../src/providers/http.ts';
import { maskSecrets } from '../../src/redact/mask.ts';
import { problemOf } from '../../src/report/problem.ts';
import { fit, wrap } from '../../src/report/width.ts';
import { serve } from '../../src/rpc/serve.ts';
import { isBoundOtherwise } from '../../src/scoring/binding.ts';
import { bm25 } from '../../src/scoring/bm25.ts';
import { differenceOf } from '../../src/scoring/contradiction.ts';
import { factsOf } from '../../src/scoring/facts.ts';
import { matchingOf } from '../../src/scoring/matching.ts';
import { areDuplicates, noveltyOf, withoutProvenance } from '../../src/scoring/novelty.ts';
import { relevanceTo, tellingNames } from '../../src/scoring/relevance.ts';
import { isSpoken } from '../../src/scoring/spoken.ts';
import { auditSummary } from '../../src/session/audit.ts';
import { errorLineOf, isRejection, wordsOfRejection } from '../../src/session/failures.ts';
import { limitsIn } from '../../src/session/limits.ts';
import { namesInUse } from '../../src/session/names-in-use.ts';
import { nextStepOf, rankPassages, sourcesOf } from '../../src/session/passages.ts';
import { quote, quoteLine } from '../../src/session/quote.ts';
import { snapshotOf } from '../../src/session/snapshot.ts';
import { capToolResult } from '../../src/shaping/cap.ts';
import { cleanAnswer, missingSections } from '../../src/summarize/answer.ts';
import { readSummary, summarisedIn } from '../../src/summarize/assemble.ts';
import { chunkPrompt, combinePrompt } from '../../src/summarize/prompt.ts';
import { earlierPiece, sourceOf } from '../../src/summarize/source.ts';
import { namesOf, verifySummary } from '../../src/summarize/verify.ts';
import { sanitize, sanitizeLine } from '../../src/terminal/sanitize.ts';
import { saidBy } from '../../src/tickets/request.ts';
import { estimateTokens } from '../../src/tokens/text.ts';
import { parseTranscript } from '../../src/transcript/index.ts';

/** A conversation that has the text everywhere. */
function conversation(text: string): Message[] {
  return [
    { role: 'user', content: text },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'a', name: 'Bash', input: { command: text, file_path: text } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: text, is_error: true }] },
    { role: 'assistant', content: text },
    { role: 'user', content: 'then?' },
  ];
}

/** What comes of it, if anything. */
function tried(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

type Run = (text: string) => unknown;

/** Functions by what of src they lead through. */
const RUNS: Readonly<Record<string, Run>> = {
  'actions/passages.ts': (text) => [passagesOf(text, { about: 'a "b' }), passagesOf('a b', { about: text })],
  'commands/kind.ts': (text) => [kindOf(text), kindOf(`{"a":${text}`)],
  'compaction, need in excerpts': (text) =>
    compactMessages(conversation(text), { strategy: STRATEGIES['need']!, detail: 'excerpt', targetRatio: 0.2 }),
  'compaction by the formula': (text) => compactMessages(conversation(text), { strategy: STRATEGIES['formula']! }),
  'evaluation/constraints.ts': (text) => constraintsOf(conversation(text)),
  'evaluation/identifiers.ts': judgedIdentifiersOf,
  'evaluation/reading.ts': lineOf,
  'actions/shape.ts': (text) => [
    shapeText(JSON.stringify({ messages: conversation(text) }), { window: 6_000 }),
    tried(() => shapeText(text, {})),
  ],
  'foreign/notes.ts': notesIn,
  'hooks/input.ts': (text) => parseHookInput(Buffer.from(text)),
  'hot/focus.ts': focusOfText,
  'ledger/proposals.ts': proposalsIn,
  'ledger/prose.ts': sentencesOf,
  'lifecycle/fixes.ts': (text) =>
    fixesIn(conversation(text).map((message, at) => ({ id: String(at), view: viewOf(message) }))),
  'lifecycle/assignments.ts': (text) => topicOfText(text),
  'lifecycle/statements.ts': (text) => [statementsIn(text), topicOfText(text)],
  'memory/fulltext.ts': (text) => [matchExpression(text), phraseExpression(text)],
  'messages/marks.ts': (text) => [stripMarks(text), isMark(text), writeBlock('hot', text), writeMark('gap', [], text)],
  'messages/shown.ts': (text) => [shownText(text, 'assistant'), shownText(`Bash {"a":${text}`, 'assistant')],
  'messages/typed.ts': (text) => isTypedPrompt({ role: 'user', content: text }),
  'need/identifiers.ts': (text) => text.split('\n').map(identifiersOf),
  'need/lines.ts': (text) => hunksOf(linesOf(text).map(keyOf), 5),
  'planning/prune.ts': (text) =>
    planCompaction({ messages: conversation(text) }, { contextWindow: 2_000, reserved: 100 }),
  'providers/http.ts': (text) => [said(text), saidBy(text, 'token')],
  'redact/mask.ts': maskSecrets,
  'report/problem.ts': (text) => problemOf(new Error(text), false),
  'report/width.ts': (text) => [fit(text, 80), wrap(text, 80)],
  'rpc/serve.ts': async (text) => {
    async function* input(): AsyncGenerator<Buffer> {
      yield Buffer.from(text);
    }
    await serve(input(), async () => undefined, new Map());
  },
  'scoring/binding.ts': (text) => [
    isBoundOtherwise(text, 'the port is 5432'),
    isBoundOtherwise('the port is 5432', text),
  ],
  'scoring/bm25.ts': (text) => [bm25([text, 'a b'], 'a b'), bm25(['a b', 'b c'], text)],
  'scoring/contradiction.ts': (text) => differenceOf(text, 'the port is 5432, never 5433'),
  'scoring/facts.ts': factsOf,
  'scoring/matching.ts': (text) => [matchingOf(text, ['the port']), matchingOf('the port', [text])],
  'scoring/novelty.ts': (text) => [noveltyOf(text), areDuplicates(text, `${text}.`), withoutProvenance(text)],
  'scoring/relevance.ts': (text) => [
    tellingNames(text, 8),
    relevanceTo(text)('the port', 0.5),
    relevanceTo('port')(text, 0),
  ],
  'scoring/spoken.ts': (text) => isSpoken('user', text),
  'session/audit.ts': (text) => auditSummary(conversation(text), text),
  'session/failures.ts': (text) => [errorLineOf(text), isRejection(text), wordsOfRejection(text)],
  'session/limits.ts': limitsIn,
  'session/names-in-use.ts': (text) => namesInUse(conversation(text), 30),
  'session/passages.ts': (text) => rankPassages(sourcesOf(conversation(text)), nextStepOf(conversation(text)), 30),
  'session/quote.ts': (text) => [quote(text, 200), quoteLine(text, 200), quote(text, text.length)],
  'session/snapshot.ts': (text) => snapshotOf(conversation(text)),
  'shaping/cap.ts': (text) => capToolResult(conversation(text)[2]!, 600),
  'summarize/answer.ts': (text) => [cleanAnswer(text), missingSections(text)],
  'summarize/assemble.ts': (text) => [summarisedIn(text), readSummary(text)],
  'summarize/prompt.ts': (text) => [chunkPrompt(text, 1, 2, { focus: text }), combinePrompt(text)],
  'summarize/source.ts': (text) => [
    sourceOf(conversation(text), conversation(text).map(viewOf), [0, 1, 2, 3]),
    earlierPiece(text),
  ],
  'summarize/verify.ts': (text) => [
    namesOf(text),
    verifySummary(text, 'the port is 5432'),
    verifySummary('src/a.ts', text),
  ],
  'terminal/sanitize.ts': (text) => [sanitize(text), sanitizeLine(text)],
  'tokens/scan.ts': estimateTokens,
  'transcript/read.ts': (text) => parseTranscript(Buffer.from(text)),
  'transcript/line.ts': (text) => parseTranscript(Buffer.from(`{"type":"user","message":${text}}`)),
};

/** Parts that are repeated. */
const UNITS: readonly string[] = [
  'a¦A¦aB¦1¦1.¦1,¦0x¦ ¦\n¦\t ¦\r\n¦"¦\'a¦`¦"a ¦\\¦\\"¦(¦a(b¦[¦{¦<¦{"¦{"a":¦[[¦{"type":"user"}¦}{¦/¦a/¦../¦-¦--a-¦a-¦a.¦a:',
  'a::¦a->¦a=¦a@¦_¦A_¦$¦#¦- [ ] ¦| ¦? ¦. ¦never ¦é¦漢¦🙂¦\ud800¦\u2028¦\u0000¦\u001b[¦\u001b]¦\u009b1¦…¦‘¦“a ¦[chitta:¦[chitta:hot]',
  '[/chitta:hot]¦<system-reminder>¦</¦Error: ¦https://¦https://a:b¦x://¦eyJ¦eyJhb.¦sk-¦AKIA¦ghp_¦password=¦password: "¦TOKEN="',
  'export A=¦Bearer ¦Cookie: a=b; ¦Authorization: Basic ¦-----BEGIN ¦-----BEGIN PRIVATE KEY-----\n¦\\n-----BEGIN RSA',
  '[\n¦{\n¦{"a":\n¦{"jsonrpc":"2.0","id":1e9}¦[{"jsonrpc":1,"id":2}\n¦the port is 1. ¦no, not ¦instead of a ¦src/a.ts ',
].flatMap((line) => line.split('¦'));

/** What stands behind the repetition: it lets a pattern fail at the very end. */
const ENDS = ['', '!', '\n\u0001'];

const SHORT = 3_000;
/** Ten times the text may take thirty times as long, and what takes less than this is not told from nothing. */
const MOST = 30;
const LEAST_MS = 2;

function textOf(unit: string, end: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length) + end;
}

/** Milliseconds of this process, so that other work on the machine does not count. */
async function costOf(run: Run, text: string): Promise<number> {
  const before = process.cpuUsage();
  await run(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function isSteep(run: Run, unit: string, end: string): Promise<boolean> {
  // Compiling and collecting garbage cost something once.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const short = await costOf(run, textOf(unit, end, SHORT));
    const long = await costOf(run, textOf(unit, end, SHORT * 10));
    if (long <= MOST * Math.max(LEAST_MS, short)) return false;
  }
  return true;
}

describe('ten times the text, about ten times the time', () => {
  test.each(Object.entries(RUNS))('%s', async (_, run) => {
    const steep: string[] = [];
    for (const [at, unit] of UNITS.entries()) {
      const end = ENDS[at % ENDS.length] ?? '';
      if (await isSteep(run, unit, end)) steep.push(`${JSON.stringify(unit)} and ${JSON.stringify(end)}`);
    }
    expect(steep).toEqual([]);
  });
});

/** Led through by those above; or the patterns see no text of a conversation, but numbers, settings, words of a command line. */
const ELSEWHERE =
  /^(?:cli|hook|app|commands|config|daemon|embedding|mcp|platform|protocol|providers|tickets|wiring|actions\/(?:install|model|replace|resources|show|ticket)|foreign\/(?!notes)|ledger\/verbs|planning\/model|evaluation\/(?:baselines|edits|errors|normalise|reach|score)|memory\/(?!fulltext)|hot\/|redact\/|need\/(?:features|pointers)|report\/totals|scoring\/vocabulary|session\/(?:calls|todos)|transcript\/)/;

test('every file of src with a pattern is led through, or its patterns see no text of a conversation', () => {
  const src = join(import.meta.dirname, '..', '..', 'src');
  const missing = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) =>
      /(?:[=(:,|&!?]|return|^)\s*\/(?![/*\s]).+\/[a-z]*[,;.)\s]/m.test(readFileSync(join(src, name), 'utf8')),
    )
    .map((name) => relative('', name).replaceAll(sep, '/'))
    .filter((name) => !(name in RUNS) && !ELSEWHERE.test(name));
  expect(missing).toEqual([]);
});
