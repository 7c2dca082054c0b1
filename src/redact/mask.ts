/**
 * Secrets out of text, before it is stored, indexed, embedded, logged or handed to another model.
 *
 * Only the secret itself goes; the words around it stay, so that the text still says what it said. A mark tells the
 * kind: `[masked:github-token]`. Never called on what goes back into the user's own context.
 */
import { maskAssignments } from './assignments.ts';
import { maskBearer } from './headers.ts';
import { maskPrivateKeys } from './pem.ts';
import { maskProse } from './prose.ts';
import { maskTokens } from './tokens.ts';
import { maskAddresses } from './urls.ts';

/** A mark can open a boundary for its neighbour, which only a second look sees; more than two was never met. */
const MAX_ROUNDS = 4;

type Rule = (text: string, onMask: () => void) => string;

/** Of a secret's own form. */
const BY_FORM: readonly Rule[] = [maskPrivateKeys, maskTokens, maskAddresses];
/** Of a secret that a word tells. */
const BY_WORD: readonly Rule[] = [maskAssignments, maskBearer, maskProse];
/**
 * What one of the words of BY_WORD has in it: most texts have none, and one look costs a seventh of the three. Some rules fold case as
 * Unicode does, where a long s is an s and the sign of the kelvin a k.
 */
const TOLD_BY = /pa[s\u017f]{2}|pwd?|secret|token|key|cred|auth|cookie|[k\u212a]ennwort|bearer/i;

/**
 * Masks secrets in a text: known token forms, private keys, passwords in addresses, and values whose name gives them
 * away. `masked` counts the marks written. Masking twice is masking once. Linear time; never throws.
 */
export function maskSecrets(text: string): { text: string; masked: number } {
  let masked = 0;
  const onMask = (): void => {
    masked += 1;
  };
  let current = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    let next = current;
    for (const rule of BY_FORM) next = rule(next, onMask);
    if (TOLD_BY.test(next)) for (const rule of BY_WORD) next = rule(next, onMask);
    if (next === current) break;
    current = next;
  }
  return { text: current, masked };
}
