/** One call of a tool, the same for MCP and JSON-RPC: unchecked parameters in, a JSON object out. */
import { ChittaError } from '../errors.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { TicketAccess } from '../ports/tickets.ts';
import { type CompactParams, parseCompactParams } from '../protocol/compact-params.ts';
import type { CompactResult } from '../protocol/compact-result.ts';
import { parseLineRange } from '../protocol/line-range.ts';
import { parseToolParams, type ToolName, type ToolParams } from '../protocol/tool-params.ts';
import type { Charter } from './hot.ts';
import type { Message } from '../messages/types.ts';
import type { FindSimilar, FindSimilarTurns } from './recall.ts';
import type { FindInTranscript } from './show.ts';
import { foundForModel, maskedJson, shownForModel, textForModel, turnForModel, whyForModel } from './tool-results.ts';

/** What tools need of the application. */
export interface ToolApp {
  readonly project: string;
  withMemory<T>(work: (memory: MemoryDatabase) => Promise<T>): Promise<T>;
  readonly findSimilar: FindSimilar;
  readonly findSimilarTurns: FindSimilarTurns;
  findInTranscript(file: string | undefined): FindInTranscript;
  readNewestSession(): Promise<readonly Message[]>;
  readCharter(): Promise<Charter | undefined>;
  openTickets(): Promise<TicketAccess>;
  compact(params: CompactParams): Promise<CompactResult>;
}

export interface ToolCall {
  readonly session?: string | undefined;
  /** Nothing that was said may be kept: calls that would store something are refused. */
  readonly storesNothing?: boolean | undefined;
}

/** A model waits, and a call that takes longer holds up those behind it: SQLite waits for a lock on the only thread there is. */
const CALL_MS = 3_000;
/** A daemon that does not answer in that time is done without. */
const SIMILAR_MS = 1_000;
const NUDGE_MS = 300;

type Json = Record<string, unknown>;
type Run<Params> = (params: Params, app: ToolApp, call: ToolCall) => Promise<Json>;

function refuseToStore({ storesNothing }: ToolCall): void {
  if (storesNothing !== true) return;
  throw new ChittaError('E_SWITCHED_OFF', 'this session is private: nothing of it is stored', {
    hint: 'the user can store it from a terminal: chitta memory add TEXT',
  });
}

type Find<Found> = (query: string, project: string | undefined, limit: number, deadlineMs: number) => Found;

const soon =
  <Found>(find: Find<Found>): Find<Found> =>
  (query, project, limit, deadlineMs) =>
    find(query, project, limit, Math.min(deadlineMs, SIMILAR_MS));

const json = (): Promise<typeof import('./memory-json.ts')> => import('./memory-json.ts');

const TOOLS: { readonly [Name in keyof ToolParams]: Run<ToolParams[Name]> } = {
  recall: async ({ query, limit, memories_only: memoriesOnly }, app, { storesNothing }) => {
    const [{ recall }, { noteFound }] = await Promise.all([import('./recall.ts'), import('./memory.ts')]);
    const request = { query, project: app.project, limit, memoriesOnly, deadlineMs: CALL_MS };
    const result = await app.withMemory(async (store) => {
      const recalled = await recall(store, request, soon(app.findSimilar), soon(app.findSimilarTurns));
      if (storesNothing !== true) await noteFound(store, recalled);
      return recalled;
    });
    return foundForModel((await json()).recallJson(result));
  },
  search: async ({ query, session, limit }, app) => {
    const { searchTurns } = await import('./search.ts');
    const request = { query, session, project: app.project, limit, deadlineMs: CALL_MS };
    const turns = await app.withMemory((store) => searchTurns(store, request));
    return { turns: turns.map(turnForModel) };
  },
  show: async ({ handle, memory, about, lines, context }, app) => {
    if (memory !== undefined) {
      const { memoryById } = await import('./memory.ts');
      return (await json()).memoryJson(await app.withMemory((store) => memoryById(store, memory, CALL_MS)));
    }
    const range = lines === undefined ? undefined : parseLineRange(lines);
    const { showTicket, ticketJson, ticketNumber } = await import('./ticket.ts');
    const number = ticketNumber(handle ?? '');
    if (number !== undefined) {
      return textForModel({
        ...ticketJson(await showTicket(await app.openTickets(), { number, about, lines: range })),
      });
    }
    const { show } = await import('./show.ts');
    const request = {
      handle: handle ?? '',
      project: app.project,
      about,
      lines: range,
      context,
      deadlineMs: CALL_MS,
    };
    const find = app.findInTranscript(undefined);
    return shownForModel((await json()).showJson(await app.withMemory((store) => show(store, request, find))));
  },
  remember: async ({ text, kind, global }, app, call) => {
    refuseToStore(call);
    const { remember } = await import('./remember.ts');
    const project = global ? undefined : app.project;
    const asked = { text, kind, project, session: call.session, origin: 'model', deadlineMs: CALL_MS } as const;
    const { memory, added } = await app.withMemory((store) => remember(store, asked));
    // Any question has the daemon look for memories without vectors: the next compaction should know this one.
    if (added) await app.findSimilar(text, project, 1, NUDGE_MS);
    return { added, ...(await json()).memoryJson(memory) };
  },
  forget: async ({ id }, app) => {
    const { forgetMemory } = await import('./memory.ts');
    const { erased, removedFiles } = await app.withMemory((store) => forgetMemory(store, id, CALL_MS));
    return { id, forgotten: true, erased, removed_files: removedFiles };
  },
  episodes: async ({ session, limit }, app) => {
    const { listEpisodes } = await import('./episodes.ts');
    const query = { project: app.project, session, limit };
    const episodes = await app.withMemory((store) => listEpisodes(store, query, CALL_MS));
    return { episodes: episodes.map((await json()).episodeJson) };
  },
  directives: async ({ action, text = '', id = 0, global: everywhere, all }, app, call) => {
    const { addDirective, listDirectives, revokeDirective } = await import('./directives.ts');
    const { directiveJson } = await json();
    const asked = { id, project: app.project, session: call.session, who: 'model', deadlineMs: CALL_MS } as const;
    if (action === 'list') {
      const list = await app.withMemory((store) => listDirectives(store, app.project, CALL_MS));
      const rows = (of: typeof list.all): Json[] => of.map((one) => directiveJson(one, list.active.includes(one)));
      return { directives: rows(all ? list.all : list.active), proposed: rows(list.proposed) };
    }
    if (action === 'revoke') {
      const entry = await app.withMemory((store) => revokeDirective(store, asked));
      return directiveJson(entry, false);
    }
    refuseToStore(call);
    const amends = action === 'amend' ? id : undefined;
    const request = { ...asked, text, everywhere, amends };
    const { directive, added } = await app.withMemory((store) => addDirective(store, request));
    return { added, ...directiveJson(directive, directive.status !== 'proposed') };
  },
  hot_context: async ({ focus, budget_tokens: budget }, app) => {
    const { hotContext, hotJson } = await import('./hot.ts');
    const context = await hotContext(
      { focus, budget },
      {
        readSession: () => app.readNewestSession(),
        readDirectives: () => app.withMemory((store) => store.directives(app.project, CALL_MS)),
        readCharter: () => app.readCharter(),
      },
    );
    return { ...hotJson(context) };
  },
  why: async ({ session }, app) => {
    const { whyCompaction } = await import('./why.ts');
    const request = { project: app.project, session, deadlineMs: CALL_MS };
    return whyForModel((await json()).whyJson(await app.withMemory((store) => whyCompaction(store, request))));
  },
};

function run<Name extends keyof ToolParams>(name: Name, args: unknown, app: ToolApp, call: ToolCall): Promise<Json> {
  return TOOLS[name](parseToolParams(name, args), app, call);
}

/**
 * Calls a tool. What comes out of the store or a transcript is masked; messages that were sent to be compacted come back as they
 * were. Rejects with a ChittaError: E_PARAM_INVALID and E_MESSAGE_INVALID name the field.
 */
export async function callTool(name: ToolName, args: unknown, app: ToolApp, call: ToolCall = {}): Promise<Json> {
  if (name === 'compact_context') return { ...(await app.compact(parseCompactParams(args))) };
  return maskedJson(await run(name, args, app, call));
}
