/** Private key blocks (PEM, OpenSSH, PGP), also where their line ends are written as `\n` or lines carry numbers. */
import { maskMark } from './literals.ts';

const DASHES = '-----';
const BEGIN = '-----BEGIN ';
const END = '-----END ';
const MAX_LABEL = 48;
/** Longest body taken for a key: RSA of 16,384 bits is 13 kB, line numbers and escapes on top. */
const MAX_BODY = 40_000;
/** Characters no key body has, in any wrapping: between the markers stands code, not a key. */
const CODE = /[(){}[\]<>;$`]/;
const BODY_RUN = /[A-Za-z0-9+/=]{16}/;

/** Where the label line of a private key ends, or -1 when `begin` opens something else (a certificate, a public key). */
function endOfLabel(text: string, begin: number): number {
  const labelStart = begin + BEGIN.length;
  const label = text.slice(labelStart, labelStart + MAX_LABEL);
  const close = label.indexOf(DASHES);
  if (close < 0 || !label.slice(0, close).includes('PRIVATE KEY')) return -1;
  return labelStart + close + DASHES.length;
}

/** End of a block that was cut off before its END line: as long as lines (or escaped lines) hold key material. */
function endOfCutBody(text: string, from: number, limit: number): number {
  let end = from;
  while (end < limit) {
    const newline = text.indexOf('\n', end);
    const lineEnd = newline < 0 || newline > limit ? limit : newline;
    const line = text.slice(end, lineEnd);
    const isBody = end === from ? line === '' || BODY_RUN.test(line) : BODY_RUN.test(line) && !CODE.test(line);
    if (!isBody) break;
    if (CODE.test(line) || /["']/.test(line)) {
      const stop = line.search(/[(){}[\]<>;$`"']/);
      return end + stop;
    }
    end = Math.min(lineEnd + 1, limit);
  }
  return end > from && text[end - 1] === '\n' ? end - 1 : end;
}

/** Masks whole private key blocks; `onMask` is called once for each. Linear: each marker is looked for once. */
export function maskPrivateKeys(text: string, onMask: () => void): string {
  let begin = text.indexOf(BEGIN);
  if (begin < 0) return text;
  const parts: string[] = [];
  let done = 0;
  let end = -1;
  while (begin >= 0) {
    const body = endOfLabel(text, begin);
    const next = text.indexOf(BEGIN, begin + BEGIN.length);
    if (body >= 0) {
      if (end !== Infinity && end < body) {
        const found = text.indexOf(END, body);
        end = found < 0 ? Infinity : found;
      }
      const limit = Math.min(next < 0 ? text.length : next, body + MAX_BODY);
      let stop = body;
      if (end < limit) {
        const inner = text.slice(body, end);
        const close = text.indexOf(DASHES, end + END.length);
        if (!CODE.test(inner) && BODY_RUN.test(inner) && close >= 0 && close - end < MAX_LABEL + END.length) {
          stop = close + DASHES.length;
        }
      }
      if (stop === body) stop = endOfCutBody(text, body, Math.min(limit, end));
      if (stop > body) {
        parts.push(text.slice(done, begin), maskMark('private-key'));
        onMask();
        done = stop;
      }
    }
    begin = next;
  }
  parts.push(text.slice(done));
  return parts.join('');
}
