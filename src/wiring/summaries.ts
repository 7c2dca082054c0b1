/** Joins chat models, the settings that choose one, transcripts and the memory to those who summarise. All imports are lazy. */
import type { SummarizerChoice } from '../config/summarizer.ts';
import type { CompactDeps } from '../actions/compact.ts';
import type { Message } from '../messages/types.ts';
import type { Env } from '../platform/env.ts';
import type { ChatAnswer, ChatRequest } from '../ports/chat-model.ts';
import type { Check, Probe } from '../ports/check.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { CompactParams } from '../protocol/compact-params.ts';
import type { CompactResult } from '../protocol/compact-result.ts';
import type { CompactionEvent } from '../summarize/events.ts';
import type { SummaryResult } from '../summarize/report.ts';
import type { NewestTurn } from '../transcript/turn.ts';

/** A person waits for a model anyway. */
const STORE_MS = 5_000;

export interface SummaryPlaces {
  readonly env: Env;
  readonly home: string;
  readonly cwd: string;
  readonly project: string;
  readonly projectRoot: string;
  /** Undefined: nothing is remembered. */
  readonly openMemory: (() => Promise<MemoryDatabase>) | undefined;
  readonly deps: CompactDeps;
  readonly log: (line: string) => void;
}

/** What a caller says of one summary. */
export interface SummaryRequest {
  readonly focus?: string | undefined;
  readonly session?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: CompactionEvent) => void) | undefined;
}

/** A model that was chosen and opened. */
export interface Summarizer {
  readonly choice: SummarizerChoice;
  summarize(history: readonly Message[], request: SummaryRequest): Promise<SummaryResult>;
  compact(params: CompactParams, request: SummaryRequest): Promise<CompactResult>;
  /** One answer of the model's. Rejects as it does. */
  complete(request: ChatRequest): Promise<ChatAnswer>;
  close(): Promise<void>;
}

export interface Summaries {
  /** What the newest answer of a transcript says. */
  newestTurn(path: string): Promise<NewestTurn>;
  /** The window declared for a model; undefined if none is. */
  windowOf(model: string | undefined): Promise<number | undefined>;
  /** Rejects with E_PROVIDER if it is not known which model writes, or it cannot be reached. */
  open(question: { readonly asked: string | undefined; readonly turnModel: string | undefined }): Promise<Summarizer>;
}

export function openSummaries(places: SummaryPlaces): Summaries {
  const { env, cwd, project, openMemory, deps, log } = places;
  const models = async () => (await import('../config/models.ts')).loadModels(places).models;
  return {
    newestTurn: async (path) => (await import('../transcript/turn.ts')).readNewestTurn(path),
    windowOf: async (model) => (await import('../config/summarizer.ts')).turnWindow(await models(), model),
    open: async (question) => {
      const [{ chooseSummarizer }, { openChatModel }, { ChittaError }] = await Promise.all([
        import('../config/summarizer.ts'),
        import('../providers/open.ts'),
        import('../errors.ts'),
      ]);
      const choice = chooseSummarizer({ ...question, env, models: await models() });
      if (choice === undefined) {
        throw new ChittaError('E_PROVIDER', 'it is not known which model is to write the summary', {
          hint: 'name it with --model or CHITTA_SUMMARIZER: anthropic:MODEL, openai:MODEL, claude, or gguf:FILE',
        });
      }
      const contextWindow = choice.windowOf === 'itself' ? choice.window : undefined;
      const model = await openChatModel(choice.reference, { env, cwd, contextWindow, log });
      const window = model.contextWindow ?? choice.window;
      const withStore = async <T>(work: (store: MemoryDatabase | undefined) => Promise<T>): Promise<T> => {
        const store = await openMemory?.();
        try {
          return await work(store);
        } finally {
          store?.close();
        }
      };
      return {
        choice,
        summarize: async (history, request) => {
          const { summarizeSession } = await import('../actions/session-summary.ts');
          const { tailTurns } = choice;
          return withStore((store) =>
            summarizeSession(history, {
              ...request,
              model,
              window,
              tailTurns,
              store,
              session: request.session,
              project,
              deadlineMs: STORE_MS,
              log,
            }),
          );
        },
        compact: async (params, { signal, onEvent }) => {
          const { compactAndSummarize } = await import('../actions/compact-summary.ts');
          return withStore((memory) =>
            compactAndSummarize(params, { ...deps, memory }, { model, window, signal, onEvent }),
          );
        },
        complete: (request) => model.complete(request),
        close: async () => model.dispose?.(),
      };
    },
  };
}

/** What `chitta doctor` says: which model would write a summary, and whether it can be asked. Asks nobody. */
export function summariesProbe(places: {
  readonly env: Env;
  readonly home: string;
  readonly projectRoot: string;
}): Probe {
  return {
    name: 'summaries',
    run: async () => {
      const [
        { loadModels },
        { chooseSummarizer },
        { parseReference },
        { credentialsIn, missingFor },
        { loadSettings },
      ] = await Promise.all([
        import('../config/models.ts'),
        import('../config/summarizer.ts'),
        import('../providers/reference.ts'),
        import('../providers/open.ts'),
        import('../config/settings.ts'),
      ]);
      const { env } = places;
      const auto = loadSettings(places).settings.autoSummarize
        ? 'asked for when a context is nearly full'
        : 'only when asked for';
      const choice = chooseSummarizer({ models: loadModels(places).models, env });
      if (choice === undefined) {
        const keys = credentialsIn(env).hasAnthropic
          ? 'the API, with the key in the environment'
          : 'the claude command';
        const detail = [
          `${auto}, by the small_model of the turn's model, else by that model`,
          `models named claude-…: ${keys}`,
        ];
        return [{ name: 'summaries', state: 'ok', detail: detail.join('\n') }];
      }
      const windows = {
        itself: `in pieces for its window of ${choice.window} tokens`,
        none: "in pieces for the window of the turn's model, in one piece if that declares none",
      };
      const window = choice.windowOf === 'itself' ? windows.itself : windows.none;
      const detail = `${auto}, by ${choice.reference} (${choice.chosenBy}), ${window}`;
      try {
        const missing = missingFor(parseReference(choice.reference, credentialsIn(env)), env);
        if (missing !== undefined)
          return [{ name: 'summaries', state: 'warn', detail, fix: missing }] satisfies Check[];
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return [{ name: 'summaries', state: 'warn', detail: why, fix: 'set CHITTA_SUMMARIZER to PROVIDER:MODEL' }];
      }
      return [{ name: 'summaries', state: 'ok', detail }];
    },
  };
}
