/**
 * What is known of a model without loading it: where it lies, how long its vectors are, what it expects in front of a text, and the id
 * that its vectors carry. Vectors of different ids are never compared. Reads headers only.
 */
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ChittaError } from '../errors.ts';
import { reasonOf } from '../platform/small-file.ts';
import { familyOf, type Pooling } from './families.ts';
import { fingerprintOf } from './fingerprint.ts';
import { type GgufMetadata, readGgufMetadata } from './gguf.ts';

/** Everything that decides what vector a text gets, and where the files are. */
export interface ModelSpec {
  /** The file's name without `.gguf`. */
  readonly name: string;
  /** Name and 8 hex digits over the content of the files and over how they are used; fit for a file name. */
  readonly id: string;
  /** The GGUF file, absolute. */
  readonly path: string;
  /** The model's own tokenizer, if it lies beside it; without one llama.cpp's is used. */
  readonly tokenizerPath: string | undefined;
  /** Numbers per vector. */
  readonly dim: number;
  readonly pooling: Pooling;
  /** What the model was built for, in tokens. */
  readonly contextTokens: number;
  /** Longest run embedded at once, in tokens, special ones included. */
  readonly chunkTokens: number;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
}

/** Name of the model that comes with chitta. */
export const DEFAULT_MODEL_NAME = 'all-MiniLM-L6-v2' as const;
const DEFAULT_FILE = 'all-MiniLM-L6-v2.Q8_0.gguf';
const TOKENIZER_FILE = 'tokenizer.json';

/** `fingerprintOf` the two files in models/; written down so that a hook need not read them. A test compares. */
const DEFAULT_FINGERPRINT = '517f295ed9021d43990989f6f8561a8be1772a8d36e9ae215c5b6ff37cc2e260';
const DEFAULT_TOKENIZER_FINGERPRINT = '501d5889b92fe389dc9b8d1fc25f2c8710c79fe7756ab7ed2caaa07dc173681b';

/** llama.cpp takes one token less than its batch, and a batch is kept at 512: longer ones cost memory and gain nothing here. */
export const BATCH_TOKENS = 512;

/** Goes up when texts are cut, pooled or tokenised in another way, so that older vectors are not compared with newer ones. */
export const RECIPE = 1;

const MAX_ID_NAME = 40;

/** What `general.pooling_type` numbers mean: llama.cpp, enum llama_pooling_type. */
const POOLINGS: ReadonlyMap<number, Pooling> = new Map([
  [1, 'mean'],
  [2, 'cls'],
  [3, 'last'],
]);

type Parts = Omit<ModelSpec, 'id'>;

function idOf(parts: Parts, fingerprint: string, tokenizerFingerprint: string | undefined): string {
  const { name, pooling, chunkTokens, queryPrefix, passagePrefix } = parts;
  const recipe = [RECIPE, fingerprint, tokenizerFingerprint ?? '', pooling, chunkTokens, queryPrefix, passagePrefix];
  const hash = createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 8);
  const label = name.replace(/[^A-Za-z0-9.]+/g, '-').replace(/^[.-]+|[.-]+$/g, '');
  return `${label.slice(0, MAX_ID_NAME) || 'model'}-${hash}`;
}

/** The model that comes with chitta; `root` is the package's folder. Reads nothing: whether the file is there shows when it is loaded. */
export function defaultModel(root: string): ModelSpec {
  const folder = join(root, 'models');
  const parts: Parts = {
    name: DEFAULT_FILE.replace(/\.gguf$/, ''),
    path: join(folder, DEFAULT_FILE),
    tokenizerPath: join(folder, TOKENIZER_FILE),
    dim: 384,
    pooling: 'mean',
    contextTokens: 512,
    chunkTokens: 256,
    queryPrefix: '',
    passagePrefix: '',
  };
  return { ...parts, id: idOf(parts, DEFAULT_FINGERPRINT, DEFAULT_TOKENIZER_FINGERPRINT) };
}

/** Throws E_MODEL if a file of the model is missing, or is not the one that its id was made of: its vectors would not be comparable. */
export function assertGenuine({ id, ...parts }: ModelSpec): void {
  const { path, tokenizerPath } = parts;
  const hint = 'chitta model verify';
  let now: string;
  try {
    now = idOf(parts, fingerprintOf(path), tokenizerPath === undefined ? undefined : fingerprintOf(tokenizerPath));
  } catch (cause) {
    throw new ChittaError('E_MODEL', `${path} cannot be read: ${reasonOf(cause)}`, { hint, cause });
  }
  if (now !== id) throw new ChittaError('E_MODEL', `${path} is not the model ${id}: damaged or replaced`, { hint });
}

function unusable(path: string, why: string, hint: string): ChittaError {
  return new ChittaError('E_MODEL', `${path} cannot be used as a model: ${why}`, { hint });
}

function numberOf(metadata: GgufMetadata, key: string): number | undefined {
  const value = metadata.get(key);
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

/** The GGUF file at `path` as a model. Throws E_MODEL if it is missing, damaged or no embedding model. */
export function inspectModel(path: string): ModelSpec {
  const metadata = readGgufMetadata(path);
  const real = realpathSync(path);
  const architecture = metadata.get('general.architecture');
  const own = typeof architecture === 'string' ? architecture : '';
  const dim = numberOf(metadata, `${own}.embedding_length`);
  const contextTokens = numberOf(metadata, `${own}.context_length`);
  const elsewhere = 'chitta model use takes a GGUF file of an embedding model';
  if (dim === undefined || contextTokens === undefined) throw unusable(path, 'it names no size', elsewhere);
  const pooling = POOLINGS.get(numberOf(metadata, `${own}.pooling_type`) ?? 0);
  if (!pooling) throw unusable(path, 'it does not pool its tokens into one vector', elsewhere);
  const name = basename(path).replace(/\.gguf$/i, '');
  const title = metadata.get('general.name');
  // The folder too: it is named after the repository that a file was pulled from.
  const family = familyOf([name, typeof title === 'string' ? title : '', basename(dirname(real))]);
  if (family && family.pooling !== pooling) {
    const why = `it pools by ${pooling}, its family by ${family.pooling}: it was converted wrongly`;
    throw unusable(path, why, 'take another conversion of this model');
  }
  const tokenizerPath = join(dirname(real), TOKENIZER_FILE);
  const hasTokenizer = existsSync(tokenizerPath);
  const parts: Parts = {
    name,
    path: real,
    tokenizerPath: hasTokenizer ? tokenizerPath : undefined,
    dim,
    pooling,
    contextTokens,
    chunkTokens: Math.min(family?.chunkTokens ?? BATCH_TOKENS - 1, BATCH_TOKENS - 1, contextTokens - 1),
    queryPrefix: family?.queryPrefix ?? '',
    passagePrefix: family?.passagePrefix ?? '',
  };
  return { ...parts, id: idOf(parts, fingerprintOf(real), hasTokenizer ? fingerprintOf(tokenizerPath) : undefined) };
}
