/** Writes GGUF files with a header and next to nothing behind it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

type Value = string | number | boolean | readonly string[] | readonly number[];

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);

function encode(value: Value): [type: number, bytes: Buffer] {
  if (typeof value === 'string') return [8, text(value)];
  if (typeof value === 'boolean') return [7, Buffer.from([value ? 1 : 0])];
  if (typeof value === 'number') return [4, u32(value)];
  const items = value.map((item) => encode(item));
  return [9, Buffer.concat([u32(items[0]?.[0] ?? 8), u64(items.length), ...items.map(([, bytes]) => bytes)])];
}

/** The bytes of a GGUF file with this metadata; `weights` stands for the tensors. */
export function ggufBytes(metadata: Readonly<Record<string, Value>>, weights = 'weights'): Buffer {
  const entries = Object.entries(metadata).flatMap(([key, value]) => {
    const [type, bytes] = encode(value);
    return [text(key), u32(type), bytes];
  });
  const head = [Buffer.from('GGUF'), u32(3), u64(0), u64(Object.keys(metadata).length)];
  return Buffer.concat([...head, ...entries, Buffer.from(weights)]);
}

/** Metadata of a small BERT that pools by the mean, changed as wanted. */
export function bertMetadata(changes: Readonly<Record<string, Value>> = {}): Record<string, Value> {
  return {
    'general.architecture': 'bert',
    'general.name': 'tiny',
    'bert.context_length': 512,
    'bert.embedding_length': 8,
    'bert.pooling_type': 1,
    'tokenizer.ggml.tokens': ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'a', 'b', '##c'],
    'tokenizer.ggml.bos_token_id': 2,
    ...changes,
  };
}

/** Writes such a file, with its folders. */
export function writeGguf(path: string, metadata: Readonly<Record<string, Value>> = bertMetadata()): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, ggufBytes(metadata));
  return path;
}

/** A tokenizer.json that fits `bertMetadata`. */
export const TINY_TOKENIZER: object = {
  version: '1.0',
  added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]'].map((content, id) => ({
    id,
    content,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  })),
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
    ],
    pair: [],
    special_tokens: {},
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: { '[PAD]': 0, '[UNK]': 1, '[CLS]': 2, '[SEP]': 3, a: 4, b: 5, '##c': 6 },
  },
};
