/**
 * What every process of chitta needs, and all that hooks work with: settings, log, transcripts, the memory, and the way to the daemon.
 * Opening it reads the settings; everything heavier is imported by the call that needs it, so that a hook pays only for what it uses.
 */
import type { CompactDeps } from '../actions/compact.ts';
import type { Charter } from '../actions/hot.ts';
import type { PromptAnswer, PromptQuestion } from '../actions/recall-prompt.ts';
import { keepPluginOptions } from '../config/plugin-options.ts';
import { loadSettings, type Settings, type SettingsPlaces } from '../config/settings.ts';
import type { Message } from '../messages/types.ts';
import type { Env } from '../platform/env.ts';
import { appendLog } from '../platform/log.ts';
import { chittaHome } from '../platform/paths.ts';
import { projectRoot } from '../platform/project.ts';
import type { Episode } from '../ports/episodes.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { CompactParams } from '../protocol/compact-params.ts';
import type { CompactResult } from '../protocol/compact-result.ts';
import { sessionFolder } from '../transcript/folders.ts';
import type { PartLimits, ReadOptions, Transcript, TranscriptPart } from '../transcript/index.ts';
import { type DaemonPlaces, daemonFollow, daemonPrompt, daemonScorer } from './daemon.ts';
import { noteReplaced, takeReplaced } from './replaced.ts';

/** Of the time for a prompt, what the daemon gets: one that is up answers in a few milliseconds, and one that is not leaves the rest. */
const DAEMON_SHARE = 0.6;
/** Less time than this is not enough to open the database and ask it. */
const LEAST_RECALL_MS = 20;

/** Of one compaction: whose it is, and how long it may take. */
export interface CompactionOptions {
  readonly session?: string | undefined;
  readonly deadlineMs?: number | undefined;
  /** `later`: by the spool, where there is no time to write to the database. */
  readonly archive?: boolean | 'later';
  /** Price of a message in tokens, where it is known already. */
  readonly countTokens?: (message: Message) => number;
}

/** What is the same for hooks and commands. */
export interface Core {
  readonly settings: Settings;
  /** What was wrong with the settings, for a person. */
  readonly warnings: readonly string[];
  /** Folder of chitta's own files; it need not exist. */
  readonly home: string;
  /** Key of the project: the repository's root (worktrees share it), else the working directory. */
  readonly project: string;
  readonly debug: boolean;
  readTranscript(path: string, options?: ReadOptions): Promise<Transcript>;
  /** What a transcript has gained from a byte on, of its last `max_read_bytes` at most; undefined if there is none. */
  readTranscriptPart(path: string, from: number, limits: PartLimits): Promise<TranscriptPart | undefined>;
  /** Has a process of its own archive what a transcript has gained, without waiting for it. A failure is a line in the log. */
  captureBeside(path: string, session: string): Promise<void>;
  /** The project's AGENTS.md, where the host does not load a charter itself. Rejects with E_INPUT_MISSING. */
  readUnloadedCharter(): Promise<Charter | undefined>;
  /** Compacts checked parameters. What is dropped is archived first, unless `archive` is false. */
  compact(params: CompactParams, options?: CompactionOptions): Promise<CompactResult>;
  /** Keeps the history of a compaction of this project. */
  recordEpisode(episode: Omit<Episode, 'project'>, deadlineMs: number): Promise<void>;
  /** Keeps what the host says of the plugin's options, for commands that it does not tell. A failure is a line in the log. */
  keepPluginOptions(): void;
  /** Notes for the next hook alone that a context was replaced, where it is recorded nowhere. A failure is a line in the log. */
  noteReplaced(session: string): void;
  /** Whether that was noted just now; asked once, it is gone. Never throws. */
  takeReplaced(session: string): boolean;
  /** The database of the home; nothing is opened before its first call. */
  openMemory(): Promise<MemoryDatabase>;
  /** Opens the database for the time of the work. */
  withMemory<T>(work: (memory: MemoryDatabase) => Promise<T>): Promise<T>;
  /** What to put beside a prompt: from the daemon, else from the database in this process. Rejects as the store does. */
  answerPrompt(
    question: Omit<PromptQuestion, 'project'> & { readonly transcript: string | undefined },
  ): Promise<PromptAnswer>;
  /** Has the daemon embed a transcript while it is written, or no longer; one is started if need be. Never rejects. */
  follow(path: string, session: string, stop?: boolean): Promise<void>;
  /** One line to the log file; never throws. */
  log(line: string): void;
}

export interface CoreOptions {
  readonly env: Env;
  readonly cwd: string;
  /** chitta's own version. */
  readonly version: string;
  /** Settings from the command line, by their names in the settings file; they go before everything else. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/** What the rest of the application is made of besides. */
export interface CoreParts {
  readonly places: SettingsPlaces;
  readonly daemonPlaces: DaemonPlaces;
  readonly deps: CompactDeps;
}

/** Reads the settings and joins the parts. Never throws on a broken settings file: that becomes a warning. */
export function createCore({ env, cwd, version, flags = {} }: CoreOptions): Core & CoreParts {
  const home = chittaHome(env);
  const project = projectRoot(sessionFolder(env, cwd));
  const places: SettingsPlaces = { env, home, projectRoot: project };
  const { settings, warnings } = loadSettings({ ...places, flags });
  const log = (line: string): void => appendLog(home, line);
  const daemonPlaces: DaemonPlaces = { env, home, cwd, log, version };
  // The daemon keeps vectors of what it is asked about.
  const scorer = settings.private ? undefined : daemonScorer(daemonPlaces);
  const deps: CompactDeps = { targetRatio: settings.targetRatio, scorer, project, log };

  const openMemory = async (): Promise<MemoryDatabase> =>
    (await import('../memory/store.ts')).openMemory({ home, log });
  // One connection for calls that follow upon each other: to open it takes longer than most of them.
  let shared: Promise<MemoryDatabase> | undefined;
  let users = 0;
  const closeUnused = async (): Promise<void> => {
    if (users > 0) return;
    const unused = shared;
    shared = undefined;
    (await unused)?.close();
  };
  const withMemory = async <T>(work: (memory: MemoryDatabase) => Promise<T>): Promise<T> => {
    users += 1;
    try {
      return await work(await (shared ??= openMemory()));
    } finally {
      users -= 1;
      setImmediate(closeUnused);
    }
  };

  return {
    places,
    daemonPlaces,
    deps,
    settings,
    warnings,
    home,
    project,
    debug: env['CHITTA_DEBUG'] === '1',
    log,
    readTranscript: async (path, options) => (await import('../transcript/index.ts')).readTranscript(path, options),
    readTranscriptPart: async (path, from, { maxBytes, ...limits }) =>
      (await import('../transcript/index.ts')).readTranscriptPart(path, from, {
        ...limits,
        maxBytes: Math.min(maxBytes, settings.maxReadBytes),
      }),
    captureBeside: async (path, session) => {
      try {
        await (await import('./beside.ts')).captureBeside({ env, cwd: project, path, session });
      } catch (error) {
        log(`error: turns wait to be archived: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    readUnloadedCharter: async () =>
      (await import('../platform/charter.ts')).readUnloadedCharter(project, env['AI_AGENT']),
    withMemory,
    answerPrompt: async (asked) => {
      const until = performance.now() + asked.deadlineMs;
      const question = { ...asked, project };
      const shared = { ...question, deadlineMs: asked.deadlineMs * DAEMON_SHARE };
      // Where nothing is searched for, the database alone is enough, and all the time there is.
      const answer = settings.private || asked.recall === false ? undefined : await daemonPrompt(daemonPlaces, shared);
      const leftMs = until - performance.now();
      if (answer !== undefined || leftMs < LEAST_RECALL_MS) return answer ?? { text: '', tokens: 0 };
      const { recallForPrompt } = await import('../actions/recall-prompt.ts');
      return withMemory((memory) => {
        const { recordPrompt: _, ...readOnly } = memory;
        return recallForPrompt(settings.private ? readOnly : memory, { ...question, deadlineMs: leftMs });
      });
    },
    follow: (path, session, stop) => daemonFollow(daemonPlaces, path, session, stop),
    keepPluginOptions: () => {
      try {
        keepPluginOptions(places);
      } catch (error) {
        log(`error: the plugin's options were not kept: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    noteReplaced: (session) => {
      try {
        noteReplaced(env, session);
      } catch (error) {
        log(`error: a replacement was not noted: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    takeReplaced: (session) => takeReplaced(env, session),
    openMemory,
    compact: async (params, { archive = !settings.private, ...options } = {}) => {
      const { compactChecked } = await import('../actions/compact.ts');
      if (!archive) return compactChecked(params, { ...deps, ...options });
      return withMemory((memory) => {
        const kept = archive === 'later' ? { ...memory, archive: memory.archiveLater } : memory;
        return compactChecked(params, { ...deps, ...options, memory: kept });
      });
    },
    recordEpisode: async (episode, deadlineMs) =>
      settings.private ? undefined : withMemory((memory) => memory.recordEpisode({ ...episode, project }, deadlineMs)),
  };
}
