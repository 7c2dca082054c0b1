/**
 * What a model's own file does not say: the words that some families expect in front of a text, how they pool, and the length they
 * were trained with. Sources: each family's model card (sentence-transformers, BAAI/bge, intfloat/e5, nomic-ai, mixedbread-ai, Snowflake).
 */

/** How the vectors of a text's tokens become one; llama.cpp does it, by the file's own `pooling_type`. */
export type Pooling = 'mean' | 'cls' | 'last';

export interface Family {
  /** Recognised by the file's `general.name` or its file name, in lower case. */
  readonly pattern: RegExp;
  /** What the family pools by; a file that says something else was converted wrongly. */
  readonly pooling: Pooling;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  /** Tokens per chunk, special ones included, where less than the model's length is what it was trained with. */
  readonly chunkTokens?: number;
}

const BGE_QUERY = 'Represent this sentence for searching relevant passages: ';

/** First match counts, so the special cases stand before the general ones. */
const FAMILIES: readonly Family[] = [
  { pattern: /all-minilm-l(6|12)-v[12]/, pooling: 'mean', queryPrefix: '', passagePrefix: '', chunkTokens: 256 },
  // The multilingual ones of either family need no words in front, or other ones.
  { pattern: /bge-m3/, pooling: 'cls', queryPrefix: '', passagePrefix: '' },
  { pattern: /bge-(small|base|large)-en/, pooling: 'cls', queryPrefix: BGE_QUERY, passagePrefix: '' },
  { pattern: /mxbai-embed-large/, pooling: 'cls', queryPrefix: BGE_QUERY, passagePrefix: '' },
  { pattern: /arctic-embed-(xs|s|m|l)(?!.*v2)/, pooling: 'cls', queryPrefix: BGE_QUERY, passagePrefix: '' },
  // e5-mistral and the -instruct ones ask for a described task, which chitta has none of.
  {
    pattern: /(^|[^a-z0-9])e5-(small|base|large)(?!.*instruct)/,
    pooling: 'mean',
    queryPrefix: 'query: ',
    passagePrefix: 'passage: ',
  },
  {
    pattern: /nomic-embed-text/,
    pooling: 'mean',
    queryPrefix: 'search_query: ',
    passagePrefix: 'search_document: ',
  },
];

/** The family that one of the names belongs to, or undefined: then nothing stands in front and the file's own metadata decides. */
export function familyOf(names: readonly string[]): Family | undefined {
  const lower = names.map((name) => name.toLowerCase().replace(/[\s_]+/g, '-'));
  return FAMILIES.find(({ pattern }) => lower.some((name) => pattern.test(name)));
}
