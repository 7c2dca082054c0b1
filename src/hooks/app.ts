/** What hooks need of the application. */
import type { CapturedPart, PartLimits } from '../actions/capture.ts';
import type { Charter } from '../actions/hot.ts';
import type { PromptAnswer, PromptQuestion } from '../actions/recall-prompt.ts';
import type { Message } from '../messages/types.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { GuideApp } from './pre-compact.ts';

export interface HookApp extends Omit<GuideApp, 'readTranscript'> {
  readonly settings: GuideApp['settings'] & {
    readonly disabled: boolean;
    readonly private: boolean;
    readonly recall: boolean;
    readonly learn: boolean;
    readonly archiveMaxMb: number;
    readonly archiveMaxDays: number;
  };
  readonly project: string;
  readTranscript(
    path: string,
    options: { readonly last?: number; readonly maxBytes: number },
  ): Promise<{ readonly messages: readonly Message[] }>;
  /** What a transcript has gained from a byte on; undefined if there is none. */
  readTranscriptPart(path: string, from: number, limits: PartLimits): Promise<CapturedPart | undefined>;
  /** Has a process of its own archive what a transcript has gained, without waiting for it. Never rejects. */
  captureBeside(path: string, session: string): Promise<void>;
  /** Whether a replacement has just been noted in passing; asked once, it is gone. Never throws. */
  takeReplaced(session: string): boolean;
  /** The project's rules, if the host does not load them itself. */
  readUnloadedCharter(): Promise<Charter | undefined>;
  /** Keeps what the host says of the plugin's options, for commands that it does not tell. */
  keepPluginOptions(): void;
  /** Opens the memory for the time of the work. */
  withMemory<T>(work: (memory: MemoryDatabase) => Promise<T>): Promise<T>;
  /** The answer to a prompt: from the daemon, or from the database in this process. Rejects as the store does. */
  answerPrompt(
    question: Omit<PromptQuestion, 'project'> & { readonly transcript: string | undefined },
  ): Promise<PromptAnswer>;
  /** Has the daemon embed a transcript while it is written, or no longer; starts one if need be. Never rejects. */
  follow(path: string, session: string, stop?: boolean): Promise<void>;
}
