/**
 * The table of issue trackers in the user's settings file, by host. Without it no tracker is asked. A project's file is a stranger's: it may
 * switch tickets off, and name nothing.
 */
import { maskSecrets } from '../redact/mask.ts';
import { readConfigFile } from './file.ts';
import { quoted } from './names.ts';
import { projectFile, userFile } from './settings.ts';
import { TICKETS_KEY } from './table.ts';

export interface Tracker {
  readonly kind: 'github' | 'gitea';
  /** Address of its REST interface, without a slash at its end. */
  readonly api: string;
  /** Variables of the environment that may hold the token, in order. */
  readonly tokenNames: readonly string[];
}

export interface LoadedTrackers {
  /** By host, in lower case. */
  readonly trackers: ReadonlyMap<string, Tracker>;
  /** Switched off by the project's file. */
  readonly isOff: boolean;
  /** Sentences for people, one per mistake in a file. */
  readonly warnings: readonly string[];
}

export type TrackerField = 'kind' | 'api' | 'token_env';

/** What may be said of a host: what each wants, and a line for people. */
export const TRACKER_FIELDS: readonly { readonly key: TrackerField; readonly wanted: string; readonly doc: string }[] =
  [
    { key: 'kind', wanted: '"github" or "gitea"', doc: 'Which interface the tracker has.' },
    { key: 'api', wanted: 'an address, without a password', doc: 'Address of its REST interface.' },
    { key: 'token_env', wanted: 'the name of a variable, not a token', doc: 'The variable that holds a token.' },
  ];

/** A host, in lower case, and its port. */
export const HOST: RegExp = /^[a-z\d](?:[a-z\d.-]{0,250}[a-z\d])?(?::\d{1,5})?$/;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where a tracker is asked that says no address. */
export function standardApi(kind: Tracker['kind'], host: string): string {
  if (kind === 'gitea') return `https://${host}/api/v1`;
  return host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
}

/** A token of one host is not for another: what is not named is sent nowhere. */
export function standardTokenNames(host: string): string[] {
  return host === 'github.com' ? ['GITHUB_TOKEN', 'GH_TOKEN'] : [];
}

function apiOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { protocol, username, password, search, hash } = new URL(value);
  const isPlain = username === '' && password === '' && search === '' && hash === '';
  return isPlain && (protocol === 'https:' || protocol === 'http:') ? value.replace(/\/+$/, '') : undefined;
}

/** Tokens that would pass for a name: of 40 hexadecimal digits are Gitea's. */
export const HEXADECIMAL: RegExp = /^[\da-f]{32,}$/i;

/** The name of a variable. A token in its place would be stored, and printed. */
function tokenNameOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[A-Za-z_]\w{0,100}$/.test(value)) return undefined;
  return HEXADECIMAL.test(value) || maskSecrets(value).masked > 0 ? undefined : value;
}

/** Whether a value may be said of a host. */
export function fitsTracker(field: TrackerField, value: unknown): value is string {
  if (field === 'kind') return value === 'github' || value === 'gitea';
  return (field === 'api' ? apiOf(value) : tokenNameOf(value)) !== undefined;
}

function trackerOf(place: string, host: string, raw: unknown, warn: (warning: string) => void): Tracker | undefined {
  if (!HOST.test(host)) return void warn(`${place} is no host; it is ignored`);
  if (!isObject(raw)) return void warn(`${place} must be an object, { "kind": … }; it is ignored`);
  const { kind, api, token_env: tokenName } = raw;
  for (const key of Object.keys(raw)) {
    if (TRACKER_FIELDS.some((field) => field.key === key)) continue;
    warn(`${place}: ${quoted(key)} is not one of ${TRACKER_FIELDS.map((field) => field.key).join(', ')}`);
  }
  if (kind !== 'github' && kind !== 'gitea') {
    return void warn(`${place}: "kind" must be "github" or "gitea"; it is ignored`);
  }
  const address = api === undefined ? standardApi(kind, host) : apiOf(api);
  if (address === undefined) return void warn(`${place}: "api" must be an address, without a password; it is ignored`);
  const named = tokenNameOf(tokenName);
  if (tokenName !== undefined && named === undefined) {
    return void warn(`${place}: "token_env" must be the name of a variable, not a token; it is ignored`);
  }
  return { kind, api: address, tokenNames: named === undefined ? standardTokenNames(host) : [named] };
}

function entryIn(path: string): unknown {
  const file = readConfigFile(path);
  return file.state === 'read' ? file.entries[TICKETS_KEY] : undefined;
}

/** The trackers in the user's file. Never throws: what does not fit is a warning. */
export function loadTrackers({
  home,
  projectRoot,
}: {
  readonly home: string;
  readonly projectRoot: string;
}): LoadedTrackers {
  const [path, strangers] = [userFile(home), projectFile(projectRoot)];
  const trackers = new Map<string, Tracker>();
  const warnings: string[] = [];
  const warn = (warning: string): void => void warnings.push(warning);
  const raw = entryIn(path);
  if (raw !== undefined && !isObject(raw))
    warn(`${path}: "${TICKETS_KEY}" must be an object of hosts, { … }; it is ignored`);
  for (const [name, given] of Object.entries(isObject(raw) ? raw : {})) {
    const host = name.toLowerCase();
    const tracker = trackerOf(`${path}: ${TICKETS_KEY}.${quoted(name)}`, host, given, warn);
    if (tracker !== undefined) trackers.set(host, tracker);
  }
  const said = entryIn(strangers);
  if (said !== undefined && said !== false) {
    warn(`${strangers}: "${TICKETS_KEY}" is ignored; a project may only set it to false`);
  }
  return { trackers, isOff: said === false, warnings };
}
