/** A chat model in a GGUF file, in this process, through node-llama-cpp. Nothing leaves the machine. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { startLlama } from '../platform/llama.ts';
import { importLlama } from '../platform/native.ts';
import { reasonOf } from '../platform/small-file.ts';
import type { ChatModel } from '../ports/chat-model.ts';
import { providerError } from './http.ts';

/** Of a model that was trained on more, this much is used unless more is declared: memory grows with it, about 0.1 MB a token. */
const USUAL_WINDOW = 16_384;
/** Fewer tokens hold no summary. */
const MIN_WINDOW = 512;
const PROVIDER = 'gguf';

export interface GgufChatOptions {
  /** Path of the file, absolute. */
  readonly path: string;
  /** Tokens of its context; at most those it was trained on. */
  readonly contextWindow?: number | undefined;
  readonly log: (line: string) => void;
}

/** Whether a file begins as GGUF does: magic, version 2 or 3, and counts that can be true. llama.cpp takes long to find out that it does not. */
function beginsAsGguf(path: string): boolean {
  const head = Buffer.alloc(24);
  const descriptor = openSync(path, 'r');
  try {
    if (readSync(descriptor, head, 0, head.length, 0) < head.length) return false;
  } finally {
    closeSync(descriptor);
  }
  const isPlausible = (count: bigint): boolean => count > 0n && count < 1_000_000n;
  const version = head.readUInt32LE(4);
  return (
    head.toString('latin1', 0, 4) === 'GGUF' &&
    (version === 2 || version === 3) &&
    isPlausible(head.readBigUInt64LE(8)) &&
    isPlausible(head.readBigUInt64LE(16))
  );
}

function describe(cause: unknown, path: string): Error {
  return providerError(
    PROVIDER,
    `${path} cannot be loaded: ${reasonOf(cause)}`,
    'is it a chat model in GGUF format?',
    cause,
  );
}

/**
 * Loads a model, which may take minutes and as much memory as the file has bytes. Rejects with E_PROVIDER if it is missing or no chat
 * model, E_MODEL if llama.cpp cannot be started. The caller disposes of it.
 */
export async function loadGgufChat({ path, contextWindow, log }: GgufChatOptions): Promise<ChatModel> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw providerError(PROVIDER, `there is no file ${path}`);
  if (!beginsAsGguf(path)) throw describe('it is no GGUF file with weights', path);
  const llama = await startLlama(Math.max(1, cpus().length), log);
  try {
    const model = await llama.loadModel({ modelPath: path });
    const max = Math.max(MIN_WINDOW, Math.min(contextWindow ?? USUAL_WINDOW, model.trainContextSize));
    const context = await model.createContext({ contextSize: { min: Math.min(MIN_WINDOW, max), max } });
    const sequence = context.getSequence();
    const { LlamaChatSession } = await importLlama();
    // The context may be made a little larger, to a multiple that suits llama.cpp.
    const window = Math.min(context.contextSize, max);
    return {
      name: `${PROVIDER}:${path}`,
      contextWindow: window,
      complete: async ({ system, prompt, maxTokens, signal, onProgress }) => {
        signal?.throwIfAborted();
        const asked = model.tokenize(system).length + model.tokenize(prompt).length;
        // It would let go of the beginning without a word.
        if (asked + maxTokens > window) {
          throw providerError(
            PROVIDER,
            `a prompt of ${asked} tokens and an answer of ${maxTokens} exceed the window of ${window}`,
          );
        }
        await sequence.clearHistory();
        const before = sequence.tokenMeter.getState();
        const session = new LlamaChatSession({
          contextSequence: sequence,
          systemPrompt: system,
          autoDisposeSequence: false,
        });
        try {
          let characters = 0;
          const { responseText, stopReason } = await session.promptWithMeta(prompt, {
            maxTokens,
            temperature: 0,
            budgets: { thoughtTokens: 0 },
            onTextChunk: (text) => onProgress?.((characters += text.length)),
            ...(signal === undefined ? {} : { signal }),
          });
          const used = sequence.tokenMeter.diff(before);
          return {
            text: responseText,
            stop: stopReason === 'maxTokens' ? 'length' : 'end',
            usage: { inputTokens: used.usedInputTokens, outputTokens: used.usedOutputTokens },
          };
        } catch (error) {
          signal?.throwIfAborted();
          throw providerError(PROVIDER, reasonOf(error), undefined, error);
        } finally {
          session.dispose();
        }
      },
      dispose: () => llama.dispose(),
    };
  } catch (cause) {
    await llama.dispose();
    throw describe(cause, path);
  }
}
