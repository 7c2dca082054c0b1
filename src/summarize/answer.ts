/** A model's answer made fit to stand in a context. Pure. */
import { SECTIONS } from './prompt.ts';
import { Masker } from './source.ts';

/** What models that think aloud put in front of their answer. */
const THOUGHTS = ['think', 'thinking', 'analysis'] as const;
/** The first heading that a summary has. What stands behind it is the summary's own, tags that it tells of as well. */
const HEADING = new RegExp(`(?<=^|>)#{1,4} +(?:${SECTIONS.map(([title]) => title).join('|')})[ \\t\\r]*$`, 'im');
/** How the summary begins behind thoughts that hold a draft of it. */
const BEGINNING = /^(?:<summary>|#{1,4} +Goal\b)/i;

function withoutThoughts(text: string): string {
  let rest = text.trimStart();
  for (const tag of THOUGHTS) {
    const close = new RegExp(`</${tag}>(?=[ \\t]*(?:[\\r\\n#<]|$))`).exec(rest);
    const isOpen = rest.startsWith(`<${tag}>`);
    const behind = close === null ? '' : rest.slice(close.index + close[0].length).trimStart();
    // Some templates leave the opening tag to the prompt; thoughts without an end are all there is.
    if (close !== null && (isOpen || close.index < sectionsFrom(rest) || BEGINNING.test(behind))) rest = behind;
    else if (isOpen) return '';
  }
  return rest;
}

/** Where the sections begin; the end of a text that has none. */
function sectionsFrom(text: string): number {
  return HEADING.exec(text)?.index ?? text.length;
}

/** What stands in `<summary>`, where the answer is wrapped in it. */
function unwrapped(text: string): string {
  const open = /^[ \t]*<summary>/m.exec(text);
  if (open === null || open.index > sectionsFrom(text)) return text;
  const inner = text.slice(open.index + open[0].length);
  const close = inner.lastIndexOf('</summary>');
  return close < 0 ? inner : inner.slice(0, close);
}

/** Lines that open a summary in a context: an answer must not hold one of its own. */
const HEADER_LINE = /^\[CONVERSATION SUMMARY\b.*$/gm;

/** The summary in an answer: without thoughts and wrappings, masked, well-formed, without marks of chitta's. Empty if there is none. */
export function cleanAnswer(text: string): string {
  const inner = unwrapped(withoutThoughts(text)).replaceAll(HEADER_LINE, '');
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
