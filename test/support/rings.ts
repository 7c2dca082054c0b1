/** The import rules of src/, as a pure check over source texts, so that the check itself can be tested. */
import { posix } from 'node:path';

/** A source file: path from src/ with forward slashes, and its text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** One import of one file; `typeOnly` imports vanish at run time. */
interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
}

/** A breach that is meant to be: `from` and `to` are paths from src/ (or a package name), `reason` says why. */
export interface Exception {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

const CORE = [
  'messages',
  'tokens',
  'scoring',
  'compaction',
  'need',
  'evaluation',
  'shaping',
  'planning',
  'hot',
  'ledger',
  'lifecycle',
  'redact',
  'session',
  'summarize',
];
const CORE_BORDER = ['protocol', 'report', 'ports', 'errors.ts'];
const ADAPTERS = [
  'transcript',
  'memory',
  'foreign',
  'embedding',
  'daemon',
  'providers',
  'tickets',
  'config',
  'platform',
  'terminal',
];
const EDGES = ['commands', 'hooks', 'rpc', 'mcp'];

type Ring = 'core' | 'adapter' | 'action' | 'edge' | 'cli' | 'wiring' | 'surface';

const RING_OF: ReadonlyMap<string, Ring> = new Map<string, Ring>([
  ...[...CORE, ...CORE_BORDER].map((place): [string, Ring] => [place, 'core']),
  ...ADAPTERS.map((place): [string, Ring] => [place, 'adapter']),
  ...EDGES.map((place): [string, Ring] => [place, 'edge']),
  ['actions', 'action'],
  ['cli.ts', 'cli'],
  ['hook.ts', 'cli'],
  ['hook-process.ts', 'cli'],
  ['app.ts', 'wiring'],
  ['wiring', 'wiring'],
  ['index.ts', 'surface'],
]);

/** Packages a ring may import besides what is listed here for all: nothing. Rings not named may import any. */
const PACKAGES: Partial<Record<Ring, readonly string[]>> = {
  core: ['node:crypto', 'zod'],
  action: ['node:crypto', 'zod'],
  surface: [],
};

/** First path segment: the folder, or the file itself for those that stand directly in src/. */
function placeOf(path: string): string {
  return path.split('/', 1)[0] ?? path;
}

function mayImport(from: string, to: string, typeOnly: boolean): boolean {
  const [place, target] = [placeOf(from), placeOf(to)];
  const ring = RING_OF.get(target);
  if (place === target || ring === 'core') return ring !== undefined;
  switch (RING_OF.get(place)) {
    case 'adapter':
      // Paths, modes and processes are the ground the other adapters stand on. The daemon's process hosts the model and
      // the memory, in one file; the client beside it must stay light.
      return (
        target === 'platform' ||
        (place === 'daemon' &&
          (target === 'embedding' || target === 'memory') &&
          (typeOnly || from === 'daemon/run.ts'))
      );
    case 'edge':
      return (
        ring === 'wiring' ||
        ring === 'action' ||
        target === 'terminal' ||
        (typeOnly && (target === 'config' || target === 'platform'))
      );
    case 'cli':
      return ring !== 'surface';
    case 'wiring':
      return ring === 'wiring' || ring === 'action' || ring === 'adapter';
    case 'surface':
      // The transcript reader is offered to programs as well; it loads nothing native.
      return ring === 'action' || target === 'transcript';
    default:
      return false;
  }
}

/** Text without comments; good enough for code that oxfmt has laid out. */
function codeOf(text: string): string {
  return text.replace(/(^|\s)\/\*[\s\S]*?\*\//g, '$1').replace(/(^|\s)\/\/.*$/gm, '$1');
}

function importsOf(text: string): Import[] {
  const found: Import[] = [];
  const statement = /^\s*(import|export)\s+(type\s+)?(?:[\w*{][^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
  for (const [, , type, specifier = ''] of codeOf(text).matchAll(statement)) {
    found.push({ specifier, typeOnly: type !== undefined });
  }
  for (const [, specifier = ''] of codeOf(text).matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)) {
    found.push({ specifier, typeOnly: false });
  }
  return found;
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith('.');
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function importBreaches(source: Source): { to: string; text: string }[] {
  const place = placeOf(source.path);
  const ring = RING_OF.get(place);
  if (!ring) return [{ to: place, text: `${source.path}: ${place} belongs to no ring` }];
  const breaches: { to: string; text: string }[] = [];
  for (const { specifier, typeOnly } of importsOf(source.text)) {
    if (isRelative(specifier)) {
      const to = posix.normalize(posix.join(posix.dirname(source.path), specifier));
      if (!mayImport(source.path, to, typeOnly)) breaches.push({ to, text: `${source.path} (${ring}) imports ${to}` });
    } else {
      const to = packageOf(specifier);
      const allowed = PACKAGES[ring];
      if (allowed && !allowed.includes(to)) breaches.push({ to, text: `${source.path} (${ring}) imports ${to}` });
    }
  }
  return breaches;
}

/** What only some places may do: [what, pattern in code, places that may]. */
const DEEDS: readonly (readonly [string, RegExp, readonly string[]])[] = [
  ['ends the process', /\bprocess\.exit\s*\(/, ['cli.ts', 'hook-process.ts']],
  ['reads the environment', /\bprocess\.env\b/, ['cli.ts', 'hook.ts', 'platform', 'config']],
  ['uses console', /\bconsole\.\w/, []],
  ['writes to a standard stream', /\b(?:stdout|stderr)\.write\s*\(|\bwriteSync\(\s*[12]\b/, ['terminal']],
];

function deedBreaches({ path, text }: Source): string[] {
  const code = codeOf(text);
  return DEEDS.filter(([, pattern, places]) => !places.includes(placeOf(path)) && pattern.test(code)).map(
    ([deed]) => `${path} ${deed}`,
  );
}

function nameBreaches({ path }: Source): string[] {
  const nameless = /(?:^|\/)(?:utils?|helpers?|shared|common|misc)(?:\.ts|\/)/;
  return nameless.test(path) ? [`${path} has a name without an idea`] : [];
}

function cycles(sources: readonly Source[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { path, text } of sources) {
    const relative = importsOf(text).filter(({ specifier }) => isRelative(specifier));
    targets.set(
      path,
      relative.map(({ specifier }) => posix.normalize(posix.join(posix.dirname(path), specifier))),
    );
  }
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      found.push(`cycle: ${[...trail.slice(trail.indexOf(path)), path].join(' → ')}`);
      return;
    }
    if (done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
  return found;
}

/** Every breach of the rules, one line each; exceptions nobody needs any more are breaches too. */
export function breachesOf(sources: readonly Source[], exceptions: readonly Exception[] = []): string[] {
  const unused = new Set(exceptions);
  const lines: string[] = [];
  for (const source of sources) {
    for (const { to, text } of importBreaches(source)) {
      const allowed = exceptions.find((exception) => exception.from === source.path && exception.to === to);
      if (allowed) unused.delete(allowed);
      else lines.push(text);
    }
    lines.push(...deedBreaches(source), ...nameBreaches(source));
  }
  for (const { from, to } of unused) lines.push(`exception ${from} → ${to} is not needed`);
  return [...lines, ...cycles(sources)];
}
