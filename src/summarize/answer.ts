/** A model's answer made fit to stand in a context. Pure. */
import { summaryOf } from '../session/audit.ts';
import { SECTIONS } from './prompt.ts';
import { Masker } from './source.ts';

/** What models that think aloud put in front of their answer. */
const THOUGHTS: readonly (readonly [open: string, close: string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
];

function withoutThoughts(text: string): string {
  let rest = text.trimStart();
  for (const [open, close] of THOUGHTS) {
    const end = rest.indexOf(close);
    // Some templates leave the opening tag to the prompt; thoughts without an end are all there is.
    if (end >= 0) rest = rest.slice(end + close.length).trimStart();
    else if (rest.startsWith(open)) return '';
  }
  return rest;
}

/** Lines that open a summary in a context: an answer must not hold one of its own. */
const HEADER_LINE = /^\[CONVERSATION SUMMARY\b.*$/gm;

/** The summary in an answer: without thoughts and wrappings, masked, well-formed, without marks of chitta's. Empty if there is none. */
export function cleanAnswer(text: string): string {
  const inner = summaryOf(withoutThoughts(text)).replaceAll(HEADER_LINE, '');
  const clean = new Masker().clean(inner).trim();
  return /[\p{L}\p{N}]/u.test(clean) ? clean : '';
}

/** Titles of sections that a summary does not have. */
export function missingSections(summary: string): string[] {
  const headings = new Set(
    summary
      .split('\n')
      .flatMap((line) => (/^#{1,4} /.test(line) ? [line.replace(/^#+ /, '').trim().toLowerCase()] : [])),
  );
  return SECTIONS.flatMap(([title]) => (headings.has(title.toLowerCase()) ? [] : [title]));
}
