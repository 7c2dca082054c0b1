/** Past compactions and archived turns as resources: listed page by page, the newest first and not all of them, and read by their address. */
import { ChittaError } from '../errors.ts';
import { shownText } from '../messages/shown.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import { maskSecrets } from '../redact/mask.ts';
import { episodeText } from './episodes.ts';
import { whyJson } from './memory-json.ts';
import { type FindInTranscript, readHandle, show } from './show.ts';
import { maskedJson, whyForModel } from './tool-results.ts';

/** What resources need of the application. */
export interface ResourceApp {
  readonly project: string;
  withMemory<T>(work: (memory: MemoryDatabase) => Promise<T>): Promise<T>;
  findInTranscript(file: string | undefined): FindInTranscript;
}

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
}

export interface ResourcePage {
  readonly resources: readonly Resource[];
  readonly nextCursor?: string;
}

export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

const EPISODE = 'chitta://episode/';
const TURN = 'chitta://turn/';

export const RESOURCE_TEMPLATES: readonly ResourceTemplate[] = [
  {
    uriTemplate: `${TURN}{handle}`,
    name: 'turn',
    title: 'Archived turn',
    description: 'A turn that left the context, word for word, by its handle without the #.',
    mimeType: 'text/plain',
  },
  {
    uriTemplate: `${EPISODE}{id}`,
    name: 'episode',
    title: 'Past compaction',
    description: 'What a compaction kept, dropped and gave back, by its number.',
    mimeType: 'application/json',
  },
];

/** A list is for looking around; what is older is found by words or by handle. */
const MAX_EPISODES = 50;
const MAX_TURNS = 200;
const PAGE = 50;
/** Where a compaction that is asked for by number is looked for. */
const MAX_LOOKED_AT = 500;
const TITLE_CHARS = 80;
const MAX_CHARS = 200_000;
const READ_MS = 3_000;

/** Where a page begins: behind so many turns, the last of which had this id. */
interface Place {
  readonly beforeId: number | undefined;
  readonly given: number;
}

function placeOf(cursor: string): Place {
  const [, id = '', given = ''] = /^turns:(\d{0,15}):(\d{1,6})$/.exec(cursor) ?? [];
  if (given !== '') return { beforeId: id === '' ? undefined : Number(id), given: Number(given) };
  throw new ChittaError('E_PARAM_INVALID', 'cursor: it is none that a list ended with', {
    field: 'cursor',
    hint: 'begin anew, without a cursor',
  });
}

function firstLine(text: string): string {
  const line = maskSecrets(text).text.trim().split('\n', 1)[0] ?? '';
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS).toWellFormed()}…` : line;
}

/** A page of the list: compactions first, then turns. Rejects with E_PARAM_INVALID for a cursor that is none, or as the store does. */
export async function listResources(app: ResourceApp, cursor?: string): Promise<ResourcePage> {
  const { project } = app;
  if (cursor === undefined) {
    const episodes = await app.withMemory((store) => store.episodes({ project, limit: MAX_EPISODES }, READ_MS));
    const resources = episodes.map((episode) => ({
      uri: `${EPISODE}${episode.id}`,
      name: `compaction ${episode.id}`,
      title: `${new Date(episode.createdMs).toISOString()} ${episode.state}: ${episodeText(episode)}`,
      mimeType: 'application/json',
    }));
    if (resources.length > 0) return { resources, nextCursor: 'turns::0' };
  }
  const { beforeId, given } = cursor === undefined ? { beforeId: undefined, given: 0 } : placeOf(cursor);
  const limit = Math.min(PAGE, MAX_TURNS - given);
  if (limit <= 0) return { resources: [] };
  // One more tells whether there is another page.
  const query = { project, beforeId, limit: limit + 1 };
  const turns = await app.withMemory((store) => store.newestTurns(query, READ_MS));
  const shown = turns.slice(0, limit);
  const resources = shown.map(({ handle, role, text, archivedMs }) => ({
    uri: `${TURN}${handle.slice(1)}`,
    name: handle,
    title: `${new Date(archivedMs).toISOString()} ${role}: ${firstLine(text)}`,
    mimeType: 'text/plain',
  }));
  const [last, sum] = [shown.at(-1), given + shown.length];
  if (last === undefined || turns.length <= limit || sum >= MAX_TURNS) return { resources };
  return { resources, nextCursor: `turns:${last.id}:${sum}` };
}

export interface ResourceText {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

async function readTurn(app: ResourceApp, handle: string): Promise<string> {
  const request = { handle, project: app.project, deadlineMs: READ_MS };
  const { turn } = await app.withMemory((store) => show(store, request, app.findInTranscript(undefined)));
  const text = maskSecrets(shownText(turn.text, turn.role)).text;
  if (text.length <= MAX_CHARS) return text;
  return `${text.slice(0, MAX_CHARS).toWellFormed()}\n… ${text.length - MAX_CHARS} characters more: show ${handle} with lines`;
}

async function readEpisode(app: ResourceApp, id: number): Promise<string> {
  const query = { project: app.project, limit: MAX_LOOKED_AT };
  const episodes = await app.withMemory((store) => store.episodes(query, READ_MS));
  const episode = episodes.find((one) => one.id === id);
  if (episode !== undefined) return JSON.stringify(maskedJson(whyForModel(whyJson(episode))), null, 2);
  throw new ChittaError('E_NOT_FOUND', `there is no compaction ${id} in this project`, { hint: 'the tool episodes' });
}

/** The text behind an address. Rejects with E_NOT_FOUND, E_PARAM_INVALID (no handle), or as the store does. */
export async function readResource(app: ResourceApp, uri: string): Promise<ResourceText> {
  const [, id] = /^chitta:\/\/episode\/(\d{1,15})$/.exec(uri) ?? [];
  if (id !== undefined) return { uri, mimeType: 'application/json', text: await readEpisode(app, Number(id)) };
  const [, handle] = /^chitta:\/\/turn\/((?:#|%23)?[A-Za-z2-7]{7})$/.exec(uri) ?? [];
  if (handle !== undefined) {
    return { uri, mimeType: 'text/plain', text: await readTurn(app, readHandle(handle.replace('%23', '#'))) };
  }
  throw new ChittaError('E_NOT_FOUND', `there is no resource ${uri.slice(0, 200)}`, {
    hint: `${TURN}HANDLE or ${EPISODE}NUMBER`,
  });
}
