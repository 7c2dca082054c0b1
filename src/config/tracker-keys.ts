/** The table of issue trackers as a person shows and changes it: `tickets.HOST.FIELD` is a key. */
import { TICKETS_KEY } from './table.ts';
import { HOST, standardApi, standardTokenNames, type Tracker, type TrackerField, TRACKER_FIELDS } from './trackers.ts';

type Entries = Readonly<Record<string, unknown>>;

/** A host, and one thing that is said of it, as a key on the command line names them. */
export interface TrackerKey {
  /** In lower case. */
  readonly host: string;
  /** Undefined: the host as a whole. */
  readonly field: TrackerField | undefined;
}

/** `tickets.git.example.com.kind` is the field `kind` of the host `git.example.com`; undefined for a key that names no host. */
export function trackerKeyOf(key: string): TrackerKey | undefined {
  const start = `${TICKETS_KEY}.`;
  if (!key.startsWith(start)) return undefined;
  const rest = key.slice(start.length).toLowerCase();
  const dot = rest.lastIndexOf('.');
  const field = TRACKER_FIELDS.find((one) => one.key === rest.slice(dot + 1))?.key;
  const host = dot < 0 || field === undefined ? rest : rest.slice(0, dot);
  return HOST.test(host) ? { host, field: dot < 0 ? undefined : field } : undefined;
}

const listed = (names: readonly string[]): string | null => (names.length === 0 ? null : names.join(', '));

/** What is in force of a host, and what would be if it were not said; null where nothing is. */
export function trackerValue(
  host: string,
  field: TrackerField,
  tracker: Tracker | undefined,
): { readonly value: string | null; readonly standard: string | null } {
  if (tracker === undefined) return { value: null, standard: null };
  switch (field) {
    case 'kind':
      return { value: tracker.kind, standard: null };
    case 'api':
      return { value: tracker.api, standard: standardApi(tracker.kind, host) };
    case 'token_env':
      return { value: listed(tracker.tokenNames), standard: listed(standardTokenNames(host)) };
  }
}

function isObject(value: unknown): value is Entries {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The entries of a settings file with that said of the host, or without it (`value` undefined), or without the host as a whole.
 * Everything else is kept, what this version does not know too.
 */
export function withTrackerField(entries: Entries, { host, field }: TrackerKey, value: string | undefined): Entries {
  const all = entries[TICKETS_KEY];
  const hosts = new Map(Object.entries(isObject(all) ? all : {}));
  const written = [...hosts.keys()].find((name) => name.toLowerCase() === host) ?? host;
  const own = hosts.get(written);
  const kept = Object.entries(isObject(own) ? own : {}).filter(([key]) => key !== field);
  const said = value === undefined || field === undefined ? kept : [...kept, [field, value] as const];
  if (field === undefined || said.length === 0) hosts.delete(written);
  else hosts.set(written, Object.fromEntries(said));
  if (hosts.size > 0) return { ...entries, [TICKETS_KEY]: Object.fromEntries(hosts) };
  return Object.fromEntries(Object.entries(entries).filter(([key]) => key !== TICKETS_KEY));
}
