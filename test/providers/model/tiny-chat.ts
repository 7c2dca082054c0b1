/**
 * Writes a chat model of a few megabytes that llama.cpp really runs: one layer that passes everything on, and an output that answers each
 * character with one other, so that what it says is known beforehand. No weights of anybody's are needed.
 */
import { writeFileSync } from 'node:fs';

/** Dimensions: one for each token, in heads of 32. */
const DIM = 288;
const HEADS = 9;
const FEED_FORWARD = 32;
const CONTEXT = 4_096;
const UNKNOWN = 0;
const BEGIN = 1;
const END = 2;
const FIRST_BYTE = 3;
const VOCABULARY = FIRST_BYTE + 256;
const ALIGNMENT = 32;

const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const string = (value: string): Buffer => Buffer.concat([u32(8), text(value)]);
const integer = (value: number): Buffer => Buffer.concat([u32(4), u32(value)]);
const float = (value: number): Buffer => Buffer.concat([u32(6), Buffer.from(Float32Array.of(value).buffer)]);
const list = (type: number, items: readonly Buffer[]): Buffer =>
  Buffer.concat([u32(9), u32(type), u64(items.length), ...items]);

interface Tensor {
  readonly name: string;
  /** As ggml has them: the row's length first. */
  readonly dims: readonly number[];
  readonly values: Float32Array;
}

const zeros = (name: string, ...dims: number[]): Tensor => {
  return { name, dims, values: new Float32Array(dims.reduce((size, dim) => size * dim, 1)) };
};
const ones = (name: string): Tensor => ({ name, dims: [DIM], values: new Float32Array(DIM).fill(1) });

/** Each token is a direction of its own. */
function embedding(): Tensor {
  const tensor = zeros('token_embd.weight', DIM, VOCABULARY);
  for (let token = 0; token < VOCABULARY; token++) tensor.values[token * DIM + token] = 1;
  return tensor;
}

/** After a token, the one that follows it. */
function output(nextOf: (token: number) => number): Tensor {
  const tensor = zeros('output.weight', DIM, VOCABULARY);
  for (let token = 0; token < VOCABULARY; token++) tensor.values[nextOf(token) * DIM + token] = 1;
  return tensor;
}

/** The answer character by character; whatever else comes last, it begins. */
function follows(answer: string): (token: number) => number {
  const tokens = [...Buffer.from(answer)].map((byte) => FIRST_BYTE + byte);
  const [first = END] = tokens;
  const next = new Map(tokens.map((token, index) => [token, tokens[index + 1] ?? END]));
  return (token) => next.get(token) ?? first;
}

/** Writes the model. `answer` has each character once. */
export function writeTinyChat(path: string, answer: string): string {
  const tokens = [
    '<unk>',
    '<s>',
    '</s>',
    ...Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).padStart(2, '0').toUpperCase()}>`),
  ];
  const types = tokens.map((_, token) => (token === UNKNOWN ? 2 : token < FIRST_BYTE ? 3 : 6));
  const metadata: readonly (readonly [string, Buffer])[] = [
    ['general.architecture', string('llama')],
    ['general.name', string('tiny')],
    ['llama.context_length', integer(CONTEXT)],
    ['llama.embedding_length', integer(DIM)],
    ['llama.block_count', integer(1)],
    ['llama.feed_forward_length', integer(FEED_FORWARD)],
    ['llama.attention.head_count', integer(HEADS)],
    ['llama.attention.head_count_kv', integer(HEADS)],
    ['llama.attention.layer_norm_rms_epsilon', float(1e-5)],
    ['llama.rope.dimension_count', integer(DIM / HEADS)],
    ['llama.vocab_size', integer(VOCABULARY)],
    ['tokenizer.ggml.model', string('llama')],
    ['tokenizer.ggml.tokens', list(8, tokens.map(text))],
    [
      'tokenizer.ggml.scores',
      list(
        6,
        tokens.map(() => Buffer.from(Float32Array.of(0).buffer)),
      ),
    ],
    ['tokenizer.ggml.token_type', list(5, types.map(u32))],
    ['tokenizer.ggml.bos_token_id', integer(BEGIN)],
    ['tokenizer.ggml.eos_token_id', integer(END)],
    ['tokenizer.ggml.unknown_token_id', integer(UNKNOWN)],
  ];
  const tensors = [
    embedding(),
    ones('output_norm.weight'),
    output(follows(answer)),
    ones('blk.0.attn_norm.weight'),
    ...['q', 'k', 'v', 'output'].map((part) => zeros(`blk.0.attn_${part}.weight`, DIM, DIM)),
    ones('blk.0.ffn_norm.weight'),
    zeros('blk.0.ffn_gate.weight', DIM, FEED_FORWARD),
    zeros('blk.0.ffn_up.weight', DIM, FEED_FORWARD),
    zeros('blk.0.ffn_down.weight', FEED_FORWARD, DIM),
  ];
  let offset = 0;
  const infos = tensors.map(({ name, dims, values }) => {
    const info = Buffer.concat([text(name), u32(dims.length), ...dims.map(u64), u32(0), u64(offset)]);
    offset += Math.ceil(values.byteLength / ALIGNMENT) * ALIGNMENT;
    return info;
  });
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(metadata.length),
    ...metadata.flatMap(([key, value]) => [text(key), value]),
    ...infos,
  ]);
  const pad = (length: number): Buffer => Buffer.alloc((ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT);
  const data = tensors.flatMap(({ values }) => [Buffer.from(values.buffer), pad(values.byteLength)]);
  writeFileSync(path, Buffer.concat([header, pad(header.length), ...data]));
  return path;
}
