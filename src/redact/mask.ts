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

const RULES: readonly ((text: string, onMask: () => void) => string)[] = [
  maskPrivateKeys,
  maskTokens,
  maskAddresses,
  maskAssignments,
  maskBearer,
  maskProse,
];

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
    for (const rule of RULES) next = rule(next, onMask);
    if (next === current) break;
    current = next;
  }
  return { text: current, masked };
}
