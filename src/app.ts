/**
 * Wiring: the one place where adapters meet use cases. Opening it reads the settings; everything heavier is imported
 * by the call that needs it, so that a hook pays only for what it uses.
 */
import type { CompactDeps } from './actions/compact.ts';
import type { DaemonPort } from './actions/daemon.ts';
import type { DoctorReport } from './actions/doctor.ts';
import type { Charter } from './actions/hot.ts';
import type { ModelShelf } from './actions/model.ts';
import type { PromptAnswer, PromptQuestion } from './actions/recall-prompt.ts';
import type { FindSimilar } from './actions/recall.ts';
import type { FindInTranscript } from './actions/show.ts';
import { keepPluginOptions } from './config/plugin-options.ts';
import { loadSettings, type Settings, type SettingsPlaces } from './config/settings.ts';
import type { ConfigStore } from './config/store.ts';
import type { Env } from './platform/env.ts';
import type { Message } from './messages/types.ts';
import { appendLog } from './platform/log.ts';
import { chittaHome } from './platform/paths.ts';
import { projectRoot } from './platform/project.ts';
import type { Episode, MemoryDatabase, Replacement } from './ports/memory.ts';
import type { NativeSetup } from './ports/native-setup.ts';
import type { Withheld } from './ports/withheld.ts';
import type { CompactParams } from './protocol/compact-params.ts';
import type { CompactResult } from './protocol/compact-result.ts';
import type { ReadOptions, Transcript, TranscriptPart } from './transcript/index.ts';
import {
  type DaemonPlaces,
  daemonFollow,
  daemonPort,
  daemonPrompt,
  daemonScorer,
  daemonSimilar,
} from './wiring/daemon.ts';
import type { Host } from './wiring/host.ts';
import type { Summaries } from './wiring/summaries.ts';
import { noteReplaced, takeReplaced } from './wiring/replaced.ts';

/** Of the time for a prompt, what the daemon gets: one that is up answers in a few milliseconds, and one that is not leaves the rest. */
const DAEMON_SHARE = 0.6;
/** Less time than this is not enough to open the database and ask it. */
const LEAST_RECALL_MS = 20;

/** For asking where the session's transcript is, and how much of its end is looked through for what a host withholds. */
const ASK_MS = 200;
const WITHHELD_BYTES = 67_108_864;

/** Of one compaction: whose it is, and how long it may take. */
export interface CompactionOptions {
  readonly session?: string | undefined;
  readonly deadlineMs?: number | undefined;
  /** `later`: by the spool, where there is no time to write to the database. */
  readonly archive?: boolean | 'later';
  /** Price of a message in tokens, where it is known already. */
  readonly countTokens?: (message: Message) => number;
}

/** What the edges (commands, hooks, RPC) work with. */
export interface App {
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
  readTranscriptPart(path: string, from: number, maxBytes?: number): Promise<TranscriptPart | undefined>;
  /** Has a process of its own archive what a transcript has gained, without waiting for it. A failure is a line in the log. */
  captureBeside(path: string, session: string): Promise<void>;
  /** What the host does not hand over of a session: its images, thinking and model; undefined if its transcript is not known. */
  withheldOf(session: string): Promise<Withheld | undefined>;
  /** Reads transcript bytes that are no file, such as standard input. */
  parseTranscript(source: AsyncIterable<Buffer> | Buffer, options?: ReadOptions): Promise<Transcript>;
  /** The newest turns of the newest session held in the working directory; empty if there is none. */
  readNewestSession(): Promise<Transcript['messages']>;
  /** The project's AGENTS.md, else CLAUDE.md, or the file that is named. Rejects with E_INPUT_MISSING. */
  readCharter(file?: string): Promise<Charter | undefined>;
  /** The project's AGENTS.md, where the host does not load a charter itself. Rejects with E_INPUT_MISSING. */
  readUnloadedCharter(): Promise<Charter | undefined>;
  /** Compacts checked parameters. What is dropped is archived first, unless `archive` is false. */
  compact(params: CompactParams, options?: CompactionOptions): Promise<CompactResult>;
  /** Keeps the history of a compaction of this project. */
  recordEpisode(episode: Omit<Episode, 'project'>, deadlineMs: number): Promise<void>;
  /** Keeps the history of a replacement in this project, by the spool. */
  recordReplacement(
    replacement: Omit<Replacement, 'episode'> & { readonly episode: Omit<Episode, 'project'> },
  ): Promise<void>;
  /** Compacts parameters from outside; rejects with E_PARAM_INVALID or E_MESSAGE_INVALID naming the field. */
  compactContext(params: unknown): Promise<CompactResult>;
  /** Keeps what the host says of the plugin's options, for commands that it does not tell. A failure is a line in the log. */
  keepPluginOptions(): void;
  /** Notes for the next hook alone that a context was replaced, where it is recorded nowhere. A failure is a line in the log. */
  noteReplaced(session: string): void;
  /** Whether that was noted just now; asked once, it is gone. Never throws. */
  takeReplaced(session: string): boolean;
  /** The settings as a person sees and changes them. */
  openConfig(): Promise<ConfigStore>;
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
  /** Looks for a handle in `file`, else in the project's newest transcripts; and in others that are named. */
  findInTranscript(file: string | undefined): FindInTranscript;
  /** Memories by meaning; undefined answers where there is no daemon. */
  readonly findSimilar: FindSimilar;
  /** The background process that keeps the model warm. */
  openDaemon(): Promise<DaemonPort>;
  /** The embedding models on this machine. */
  openModels(): Promise<ModelShelf>;
  /** The native packages, and a way to install them. */
  openSetup(): Promise<NativeSetup>;
  /** Claude Code and the plugin's files, for those who install and remove it. */
  openHost(): Promise<Host>;
  /** Language models that write summaries; none is asked before one is opened. */
  openSummaries(): Promise<Summaries>;
  /** Looks over the installation; changes nothing. */
  doctor(): Promise<DoctorReport>;
  /** One line to the log file; never throws. */
  log(line: string): void;
}

export interface AppOptions {
  readonly env: Env;
  readonly cwd: string;
  /** chitta's own version. */
  readonly version: string;
  /** Settings from the command line, by their names in the settings file; they go before everything else. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/** Reads the settings and joins the parts. Never throws on a broken settings file: that becomes a warning. */
export function createApp({ env, cwd, version, flags = {} }: AppOptions): App {
  const home = chittaHome(env);
  const project = projectRoot(cwd);
  const places: SettingsPlaces = { env, home, projectRoot: project };
  const { settings, warnings } = loadSettings({ ...places, flags });
  const log = (line: string): void => appendLog(home, line);
  const daemonPlaces: DaemonPlaces = { env, home, cwd, log, version };
  // The daemon keeps vectors of what it is asked about.
  const scorer = settings.private ? undefined : daemonScorer(daemonPlaces);
  const deps: CompactDeps = { targetRatio: settings.targetRatio, scorer, project, log };

  const openMemory = async (): Promise<MemoryDatabase> => (await import('./memory/store.ts')).openMemory({ home, log });
  const withMemory = async <T>(work: (memory: MemoryDatabase) => Promise<T>): Promise<T> => {
    const memory = await openMemory();
    try {
      return await work(memory);
    } finally {
      memory.close();
    }
  };

  return {
    settings,
    warnings,
    home,
    project,
    debug: env['CHITTA_DEBUG'] === '1',
    log,
    readTranscript: async (path, options) => (await import('./transcript/index.ts')).readTranscript(path, options),
    parseTranscript: async (source, options) =>
      (await import('./transcript/index.ts')).parseTranscript(source, options),
    readNewestSession: async () => {
      const [{ projectTranscripts }, { readTranscript }] = await Promise.all([
        import('./transcript/find.ts'),
        import('./transcript/index.ts'),
      ]);
      for (const path of projectTranscripts(env, cwd)) {
        // One of a sub-agent alone, or of a session that has only begun, holds nothing.
        const { messages } = await readTranscript(path, { last: settings.lastTurns });
        if (messages.length > 0) return messages;
      }
      return [];
    },
    readCharter: async (file) => {
      const { readNamedCharter, readProjectCharter } = await import('./platform/charter.ts');
      return file === undefined ? readProjectCharter(project) : readNamedCharter(cwd, file);
    },
    readTranscriptPart: async (path, from, maxBytes = Infinity) =>
      (await import('./transcript/index.ts')).readTranscriptPart(path, from, Math.min(maxBytes, settings.maxReadBytes)),
    withheldOf: async (session) => {
      const known = await withMemory((memory) => memory.session(session, ASK_MS));
      if (known?.transcript === undefined) return undefined;
      return (await import('./transcript/withheld.ts')).withheldIn(known.transcript, WITHHELD_BYTES);
    },
    captureBeside: async (path, session) => {
      try {
        await (await import('./wiring/beside.ts')).captureBeside({ env, cwd: project, path, session });
      } catch (error) {
        log(`error: turns wait to be archived: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    readUnloadedCharter: async () => (await import('./platform/charter.ts')).readUnloadedCharter(project),
    withMemory,
    answerPrompt: async (asked) => {
      const until = performance.now() + asked.deadlineMs;
      const question = { ...asked, project };
      const shared = { ...question, deadlineMs: asked.deadlineMs * DAEMON_SHARE };
      // Where nothing is searched for, the database alone is enough, and all the time there is.
      const answer = settings.private || asked.recall === false ? undefined : await daemonPrompt(daemonPlaces, shared);
      const leftMs = until - performance.now();
      if (answer !== undefined || leftMs < LEAST_RECALL_MS) return answer ?? { text: '', tokens: 0 };
      const { recallForPrompt } = await import('./actions/recall-prompt.ts');
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
    openConfig: async () => (await import('./config/store.ts')).openConfig(places),
    openMemory,
    findInTranscript: (file) => async (handle, context, other) => {
      const { findTurn, projectTranscripts } = await import('./transcript/find.ts');
      const atHand = file === undefined ? projectTranscripts(env, cwd) : [file];
      if (other === undefined) return findTurn(atHand, handle, context);
      return atHand.includes(other) ? undefined : findTurn([other], handle, context);
    },
    findSimilar: settings.private ? async () => undefined : daemonSimilar(daemonPlaces),
    openDaemon: () => daemonPort(daemonPlaces),
    openModels: async () => {
      const [{ Shelf }, { packageRoot }] = await Promise.all([
        import('./embedding/shelf.ts'),
        import('./platform/native.ts'),
      ]);
      return new Shelf({ env, home, root: packageRoot(), cwd });
    },
    openSetup: async () => (await import('./platform/native-setup.ts')).nativeSetup(env),
    openHost: async () => (await import('./wiring/host.ts')).openHost(env, home, daemonPlaces),
    openSummaries: async () =>
      (await import('./wiring/summaries.ts')).openSummaries({
        ...places,
        cwd,
        project,
        openMemory: settings.private ? undefined : openMemory,
        deps,
        log,
      }),
    doctor: async () => {
      const [{ runDoctor }, probes] = await Promise.all([import('./actions/doctor.ts'), import('./wiring/probes.ts')]);
      return runDoctor(probes.probesOf(places, daemonPlaces));
    },
    compact: async (params, { archive = !settings.private, ...options } = {}) => {
      const { compactChecked } = await import('./actions/compact.ts');
      if (!archive) return compactChecked(params, { ...deps, ...options });
      return withMemory((memory) => {
        const kept = archive === 'later' ? { ...memory, archive: memory.archiveLater } : memory;
        return compactChecked(params, { ...deps, ...options, memory: kept });
      });
    },
    recordReplacement: ({ episode, stillThere }) =>
      withMemory((memory) => memory.recordReplacement({ episode: { ...episode, project }, stillThere })),
    compactContext: async (params) => {
      const { compactContext } = await import('./actions/compact.ts');
      return withMemory((memory) => compactContext(params, { ...deps, memory }));
    },
    recordEpisode: async (episode, deadlineMs) =>
      settings.private ? undefined : withMemory((memory) => memory.recordEpisode({ ...episode, project }, deadlineMs)),
  };
}
