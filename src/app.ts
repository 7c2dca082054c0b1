/**
 * Wiring: the one place where adapters meet use cases. Opening it reads the settings; everything heavier is imported
 * by the call that needs it, so that a hook pays only for what it uses.
 */
import type { DaemonPort } from './actions/daemon.ts';
import type { DoctorReport } from './actions/doctor.ts';
import type { Charter } from './actions/hot.ts';
import type { ModelShelf } from './actions/model.ts';
import type { FindSimilar, FindSimilarTurns } from './actions/recall.ts';
import type { FindInTranscript } from './actions/show.ts';
import type { ConfigStore } from './config/store.ts';
import type { Episode, Replacement } from './ports/episodes.ts';
import type { NativeSetup } from './ports/native-setup.ts';
import type { Withheld } from './ports/withheld.ts';
import type { CompactResult } from './protocol/compact-result.ts';
import { sessionFolder } from './transcript/folders.ts';
import type { ReadOptions, Transcript } from './transcript/index.ts';
import { type Core, type CoreOptions, createCore } from './wiring/core.ts';
import { daemonPort, daemonSimilar, daemonSimilarTurns } from './wiring/daemon.ts';
import type { Host } from './wiring/host.ts';
import type { TicketAccess } from './ports/tickets.ts';
import type { Summaries } from './wiring/summaries.ts';

/** For asking where the session's transcript is, and how much of its end is looked through for what a host withholds. */
const ASK_MS = 200;
const WITHHELD_BYTES = 67_108_864;

/** What the edges (commands, RPC) work with. */
export interface App extends Core {
  /** What the host does not hand over of a session: its images, thinking and model; undefined if its transcript is not known. */
  withheldOf(session: string): Promise<Withheld | undefined>;
  /** Reads transcript bytes that are no file, such as standard input. */
  parseTranscript(source: AsyncIterable<Buffer> | Buffer, options?: ReadOptions): Promise<Transcript>;
  /** The newest turns of the newest session held in the working directory; empty if there is none. */
  readNewestSession(): Promise<Transcript['messages']>;
  /** The project's AGENTS.md, else CLAUDE.md, or the file that is named. Rejects with E_INPUT_MISSING. */
  readCharter(file?: string): Promise<Charter | undefined>;
  /** Keeps the history of a replacement in this project, by the spool. */
  recordReplacement(
    replacement: Omit<Replacement, 'episode'> & { readonly episode: Omit<Episode, 'project'> },
  ): Promise<void>;
  /** Compacts parameters from outside; rejects with E_PARAM_INVALID or E_MESSAGE_INVALID naming the field. */
  compactContext(params: unknown): Promise<CompactResult>;
  /** The settings as a person sees and changes them. */
  openConfig(): Promise<ConfigStore>;
  /** Looks for a handle in `file`, else in the project's newest transcripts; and in others that are named. */
  findInTranscript(file: string | undefined): FindInTranscript;
  /** Memories by meaning; undefined answers where there is no daemon. */
  readonly findSimilar: FindSimilar;
  /** The same of archived turns. */
  readonly findSimilarTurns: FindSimilarTurns;
  /** The background process that keeps the model warm. */
  openDaemon(): Promise<DaemonPort>;
  /** The embedding models on this machine. */
  openModels(): Promise<ModelShelf>;
  /** The native packages, and a way to install them. */
  openSetup(): Promise<NativeSetup>;
  /** Claude Code and the plugin's files, for those who install and remove it. */
  openHost(): Promise<Host>;
  /** The project's tickets, if the user named a tracker for it. */
  openTickets(): Promise<TicketAccess>;
  /** Language models that write summaries; none is asked before one is opened. */
  openSummaries(): Promise<Summaries>;
  /** Looks over the installation; changes nothing. */
  doctor(): Promise<DoctorReport>;
}

/** Reads the settings and joins the parts. Never throws on a broken settings file: that becomes a warning. */
export function createApp(options: CoreOptions): App {
  const core = createCore(options);
  const { settings, home, project, places, daemonPlaces, deps, log, openMemory, withMemory } = core;
  const { env, cwd } = options;
  return {
    ...core,
    parseTranscript: async (source, options) =>
      (await import('./transcript/index.ts')).parseTranscript(source, options),
    readNewestSession: async () => {
      const [{ projectTranscripts }, { readTranscript }] = await Promise.all([
        import('./transcript/find.ts'),
        import('./transcript/index.ts'),
      ]);
      for (const path of projectTranscripts(env, sessionFolder(env, cwd))) {
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
    withheldOf: async (session) => {
      const known = await withMemory((memory) => memory.session(session, ASK_MS));
      if (known?.transcript === undefined) return undefined;
      return (await import('./transcript/withheld.ts')).withheldIn(known.transcript, WITHHELD_BYTES);
    },
    openConfig: async () => (await import('./config/store.ts')).openConfig(places),
    findInTranscript: (file) => async (handle, context, other) => {
      const { findTurn, projectTranscripts } = await import('./transcript/find.ts');
      const atHand = file === undefined ? projectTranscripts(env, sessionFolder(env, cwd)) : [file];
      if (other === undefined) return findTurn(atHand, handle, context);
      return atHand.includes(other) ? undefined : findTurn([other], handle, context);
    },
    findSimilar: settings.private ? async () => undefined : daemonSimilar(daemonPlaces),
    findSimilarTurns: settings.private ? async () => undefined : daemonSimilarTurns(daemonPlaces),
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
    openTickets: async () => (await import('./wiring/tickets.ts')).openTickets(places, log),
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
    recordReplacement: ({ episode, stillThere }) =>
      withMemory((memory) => memory.recordReplacement({ episode: { ...episode, project }, stillThere })),
    compactContext: async (params) => {
      const { compactContext } = await import('./actions/compact.ts');
      return withMemory((memory) => compactContext(params, { ...deps, memory }));
    },
  };
}
