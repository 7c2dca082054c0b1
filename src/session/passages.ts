/** Passages of a conversation that are to be found again, and which of them are about what comes next. Pure; linear but for sorting. */
import { handleOf } from '../messages/handle.ts';
import { searchTextOf } from '../messages/search-text.ts';
import { humanText, isSummary } from '../messages/typed.ts';
import type { Message, MessageView } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import { bm25 } from '../scoring/bm25.ts';
import { describeCall, fileOf } from './calls.ts';
import { quoteLine } from './quote.ts';

/** A turn in which passages are looked for. */
export interface Source {
  readonly handle: string;
  /** What it is: who said it, or what was called. */
  readonly label: string;
  /** The file that it is about; '' if it is about none. */
  readonly file: string;
  readonly text: string;
}

export interface Passage extends Source {
  readonly score: number;
}

/** A passage ends at the line with which it would become longer. */
const MAX_PASSAGE_CHARS = 700;
/** Of a text beyond this, only the beginning is looked at: it is data. */
const MAX_TEXT_CHARS = 100_000;
const MIN_PASSAGE_CHARS = 40;
/** Of the newest turns, how much is looked at in all: more is ranked no better, and not in time. */
const MAX_RANKED_CHARS = 4_000_000;
const MAX_LABEL_CHARS = 80;

/** The query: what was asked for last, and the end of the conversation. */
const QUERY_END_CHARS = 2_500;
const MAX_PROMPT_CHARS = 2_000;

/** What a passage of a file that the query names gains, of the best score. */
const FILE_BONUS = 0.3;

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Where the newest group of a conversation begins: its last answer, with what follows. A host keeps it over a compaction. */
export function newestGroup(messages: readonly Message[]): number {
  const start = messages.findLastIndex(({ role }) => role === 'assistant');
  return start < 0 ? messages.length : start;
}

/** Newest prompt and the end of what was said and done. */
export function nextStepOf(messages: readonly Message[]): string {
  const prompt = messages.map(humanText).findLast((text) => text !== '') ?? '';
  let end = '';
  for (let at = messages.length - 1; at >= 0 && end.length < QUERY_END_CHARS; at -= 1) {
    const message = messages[at];
    if (message !== undefined) end = `${searchTextOf(viewOf(message)).slice(-QUERY_END_CHARS)}\n${end}`;
  }
  return `${prompt.slice(0, MAX_PROMPT_CHARS)}\n${end.slice(-QUERY_END_CHARS)}`;
}

function labelOf(
  view: MessageView,
  calls: ReadonlyMap<string, { label: string; file: string }>,
): Omit<Source, 'handle' | 'text'> {
  const [answered] = view.results;
  if (answered !== undefined) return calls.get(answered.callId) ?? { label: 'a result', file: '' };
  return { label: view.role === 'assistant' ? 'the agent' : 'the user', file: '' };
}

/** The turns of a conversation as sources; no summaries and nothing that a harness alone wrote. */
export function sourcesOf(messages: readonly Message[]): Source[] {
  const calls = new Map<string, { label: string; file: string }>();
  return messages.flatMap((message): Source[] => {
    const view = viewOf(message);
    for (const call of view.calls) {
      calls.set(call.id, { label: quoteLine(describeCall(call), MAX_LABEL_CHARS), file: fileOf(call) ?? '' });
    }
    if (isSummary(message)) return [];
    if (view.role === 'user' && view.results.length === 0 && humanText(message) === '') return [];
    // What was called says itself by what came of it.
    const text = searchTextOf(view.role === 'assistant' ? { ...view, calls: [] } : view);
    return text.trim() === '' ? [] : [{ handle: handleOf(message), ...labelOf(view, calls), text }];
  });
}

/** Runs of whole lines; a line that is too long by itself is cut. */
function pieces(text: string): string[] {
  const found: string[] = [];
  let piece = '';
  for (const line of text.slice(0, MAX_TEXT_CHARS).split('\n')) {
    if (piece !== '' && piece.length + line.length > MAX_PASSAGE_CHARS) {
      found.push(piece);
      piece = '';
    }
    piece += `${piece === '' ? '' : '\n'}${line.slice(0, MAX_PASSAGE_CHARS)}`;
  }
  found.push(piece);
  return found.filter((one) => one.trim().length >= MIN_PASSAGE_CHARS);
}

/** The last of the sources, as many as may be ranked, oldest first. */
function newestOf(sources: readonly Source[]): readonly Source[] {
  let left = MAX_RANKED_CHARS;
  const last = sources.findLastIndex(({ text }) => (left -= Math.min(text.length, MAX_TEXT_CHARS)) < 0);
  return sources.slice(last + 1);
}

/** The passages that answer the query best, best first; of equals the newer. Passages without a word of it are left out. */
export function rankPassages(sources: readonly Source[], query: string, max: number): Passage[] {
  const passages = newestOf(sources).flatMap((source) => pieces(source.text).map((text) => ({ ...source, text })));
  const scores = bm25(
    passages.map(({ text }) => text),
    query,
  );
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  const named = new Set<string>();
  for (const { file } of sources) if (file !== '' && query.includes(baseName(file))) named.add(file);
  return passages
    .map((passage, index) => {
      const score = scores[index] ?? 0;
      return { ...passage, score: score > 0 && named.has(passage.file) ? score + FILE_BONUS * best : score };
    })
    .filter(({ score }) => score > 0)
    .reverse()
    .sort((a, b) => b.score - a.score)
    .slice(0, max);
}

/** Where each file was last worked on, newest first. */
export function filePointers(messages: readonly Message[], max: number): { path: string; handle: string }[] {
  const answers = new Map<string, string>();
  const pointers = new Map<string, string>();
  for (let at = messages.length - 1; at >= 0 && pointers.size < max; at -= 1) {
    const message = messages[at];
    if (message === undefined) continue;
    const view = viewOf(message);
    for (const { callId } of view.results) answers.set(callId, handleOf(message));
    for (const call of view.calls) {
      const path = fileOf(call);
      // The result holds what was read; of an edit the call does.
      if (path === undefined || pointers.has(path)) continue;
      const reads = /read|view|cat/i.test(call.name);
      pointers.set(path, (reads ? answers.get(call.id) : undefined) ?? handleOf(message));
    }
  }
  return [...pointers].slice(0, max).map(([path, handle]) => ({ path, handle }));
}
