/** llama.cpp itself, through node-llama-cpp: without a model, and silent. What it has to say goes to `log`, never to a standard stream. */
import type { Llama } from 'node-llama-cpp';
import { ChittaError } from '../errors.ts';
import { importLlama } from './native.ts';
import { reasonOf } from './small-file.ts';

/**
 * Starts llama.cpp on the processor, about 1.5 s on the first call. It tries its build in a process of its own first, which inherits
 * Node's flags. Rejects with E_MODEL.
 */
export async function startLlama(threads: number, log: (line: string) => void): Promise<Llama> {
  try {
    const { getLlama, LlamaLogLevel } = await importLlama();
    return await getLlama({
      gpu: false,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      // Otherwise NODE_LLAMA_CPP_DEBUG would send llama.cpp's messages to the terminal.
      debug: false,
      // Below it are two warnings about what the default model rightly does.
      logLevel: LlamaLogLevel.error,
      logger: (level, message) => log(`llama.cpp ${level}: ${message.trim()}`),
      maxThreads: threads,
    });
  } catch (cause) {
    throw new ChittaError('E_MODEL', `llama.cpp cannot be started: ${reasonOf(cause)}`, {
      hint: 'chitta setup, then chitta doctor',
      cause,
    });
  }
}
