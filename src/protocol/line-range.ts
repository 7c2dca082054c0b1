/** Lines as people and marks write them. No validator in here: help loads it. */

/** `A-B`, `A-` or `A`: lines from 1, the first and the last. Undefined if it is none of these. */
export function parseLineRange(text: string): readonly [first: number, last: number] | undefined {
  const [, first = '', dash, last = ''] = /^(\d{1,15})(-?)(\d{0,15})$/.exec(text) ?? [];
  const from = Number(first);
  const to = last !== '' ? Number(last) : dash === '-' ? Number.MAX_SAFE_INTEGER : from;
  return first === '' || from < 1 || to < from ? undefined : [from, to];
}
