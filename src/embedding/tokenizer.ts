/**
 * Text to token numbers, with the model's own tokenizer.json where there is one.
 *
 * llama.cpp's tokenizer differs from the model's on several scripts (Hangul, Indic vowel signs), on words over 100 characters and on
 * control characters, which costs up to 0.4 of cosine; so the numbers are made here and handed over.
 */
import { readFileSync } from 'node:fs';
import { Tokenizer } from '@huggingface/tokenizers';
import { ChittaError } from '../errors.ts';
import { reasonOf } from '../platform/small-file.ts';
import { readGgufMetadata } from './gguf.ts';
import type { ModelSpec } from './model.ts';

/** Makes token numbers of texts. Special tokens' names in a text are plain text. */
export interface TextTokenizer {
  /** Numbers of the text alone, nothing in front or behind. */
  encode(text: string): number[];
  /** What the model expects in front of every run, and behind it. */
  readonly start: readonly number[];
  readonly end: readonly number[];
}

/** What is used of the library, whose own declarations TypeScript cannot follow (they name files without their endings). */
interface LibraryTokenizer {
  tokenize(text: string, options: { add_special_tokens: boolean }): string[];
  encode(text: string, options: { add_special_tokens: boolean }): { readonly ids: number[] };
  token_to_id(token: string): number | undefined;
  readonly model: { readonly unk_token_id?: number; readonly vocab: readonly string[] } | null;
}

interface TokenizerFile extends Record<string, unknown> {
  readonly added_tokens: readonly AddedToken[];
}

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
}

function isAddedToken(value: unknown): value is AddedToken {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'id' in value &&
    typeof value.id === 'number' &&
    'content' in value &&
    typeof value.content === 'string' &&
    'special' in value &&
    typeof value.special === 'boolean'
  );
}

function isTokenizerFile(value: unknown): value is TokenizerFile {
  if (typeof value !== 'object' || value === null || !('added_tokens' in value)) return false;
  return Array.isArray(value.added_tokens) && value.added_tokens.every(isAddedToken);
}

/** What stands around the tokens of a text when special tokens are asked for. */
function surroundings(tokenizer: LibraryTokenizer, idOf: (token: string) => number | undefined): [number[], number[]] {
  const inner = tokenizer.tokenize('a', { add_special_tokens: false });
  const outer = tokenizer.tokenize('a', { add_special_tokens: true });
  const from = inner[0] === undefined ? -1 : outer.indexOf(inner[0]);
  const ids = outer.map((token) => idOf(token));
  const known = ids.filter((id) => id !== undefined);
  if (from < 0 || known.length < ids.length) throw new Error('its special tokens are not in its vocabulary');
  return [known.slice(0, from), known.slice(from + inner.length)];
}

/** A tokenizer from the parsed content of a tokenizer.json. Throws an Error if that is none that is understood. */
export function tokenizerFrom(file: unknown): TextTokenizer & { readonly highestId: number } {
  if (!isTokenizerFile(file)) throw new Error('it is not a tokenizer definition');
  // Special tokens are left out, so that their names in a text are text like any other.
  const plain = { ...file, added_tokens: file.added_tokens.filter(({ special }) => !special) };
  const tokenizer: LibraryTokenizer = new Tokenizer(plain, {});
  const specials = new Map(file.added_tokens.filter(({ special }) => special).map(({ content, id }) => [content, id]));
  const [start, end] = surroundings(tokenizer, (token) => specials.get(token) ?? tokenizer.token_to_id(token));
  const unknown = tokenizer.model?.unk_token_id;
  const forbidden = new Set(specials.values());
  if (unknown !== undefined) forbidden.delete(unknown);
  const vocabulary = tokenizer.model?.vocab.length ?? 0;
  return {
    start,
    end,
    highestId: file.added_tokens.reduce((highest, { id }) => Math.max(highest, id), vocabulary - 1),
    encode: (text) => {
      const { ids } = tokenizer.encode(text, { add_special_tokens: false });
      // Some vocabularies hold the specials' names as words; a model that reads them as text has nothing better than unknown.
      return ids.flatMap((id) => (forbidden.has(id) ? (unknown ?? []) : id));
    },
  };
}

/**
 * The tokenizer beside a model, or undefined if there is none. Throws E_MODEL if it cannot be read or belongs to another model:
 * numbers of another vocabulary would give vectors that mean nothing.
 */
export function loadTokenizer(spec: Pick<ModelSpec, 'path' | 'tokenizerPath'>): TextTokenizer | undefined {
  const { path, tokenizerPath } = spec;
  if (tokenizerPath === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(readFileSync(tokenizerPath, 'utf8'));
    const tokenizer = tokenizerFrom(parsed);
    const metadata = readGgufMetadata(path);
    const words = metadata.get('tokenizer.ggml.tokens');
    const size = typeof words === 'object' ? words.length : 0;
    const first = metadata.get('tokenizer.ggml.cls_token_id') ?? metadata.get('tokenizer.ggml.bos_token_id');
    if (
      tokenizer.highestId >= size ||
      (tokenizer.start.length > 0 && first !== undefined && tokenizer.start[0] !== first)
    )
      throw new Error('its vocabulary is another than the model’s');
    return tokenizer;
  } catch (cause) {
    if (cause instanceof ChittaError) throw cause;
    throw new ChittaError('E_MODEL', `${tokenizerPath} cannot be used with ${path}: ${reasonOf(cause)}`, {
      hint: 'put the model’s own tokenizer.json beside it, or none: then llama.cpp’s tokenizer is used',
      cause,
    });
  }
}
