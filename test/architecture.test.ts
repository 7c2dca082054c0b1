import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';
import { breachesOf, type Exception, type Source } from './support/rings.ts';

/** Breaches that are meant to be, each with its reason. */
const EXCEPTIONS: readonly Exception[] = [];

const src = join(import.meta.dirname, '..', 'src');

function sourcesBelow(folder: string): Source[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(folder, path).replaceAll(sep, '/'), text: readFileSync(path, 'utf8') }));
}

const source = (path: string, text: string): Source => ({ path, text });

test('imports in src point down, without cycles, and only the named places touch process and streams', () => {
  const sources = sourcesBelow(src);
  expect(sources.length).toBeGreaterThan(0);
  expect(breachesOf(sources, EXCEPTIONS)).toEqual([]);
});

test('every exception gives its reason', () => {
  expect(EXCEPTIONS.filter(({ reason }) => reason.length < 20)).toEqual([]);
});

const offences: [name: string, path: string, text: string, breach: string][] = [
  [
    'core reads a file',
    'messages/a.ts',
    "import { readFileSync } from 'node:fs';",
    'messages/a.ts (core) imports node:fs',
  ],
  [
    'core knows a use case',
    'scoring/a.ts',
    "import { x } from '../actions/x.ts';",
    'scoring/a.ts (core) imports actions/x.ts',
  ],
  [
    'core knows an adapter, in a multi-line import',
    'tokens/a.ts',
    "import {\n  x,\n  y,\n} from '../transcript/index.ts';",
    'tokens/a.ts (core) imports transcript/index.ts',
  ],
  [
    'core knows an adapter by its types',
    'report/a.ts',
    "import type { Env } from '../platform/env.ts';",
    'report/a.ts (core) imports platform/env.ts',
  ],
  [
    'core re-exports an adapter',
    'session/a.ts',
    "export { x } from '../config/settings.ts';",
    'session/a.ts (core) imports config/settings.ts',
  ],
  ['an action opens a file', 'actions/a.ts', "import 'node:fs';", 'actions/a.ts (action) imports node:fs'],
  [
    'an action knows an adapter, lazily',
    'actions/a.ts',
    "const m = await import('../transcript/index.ts');",
    'actions/a.ts (action) imports transcript/index.ts',
  ],
  [
    'an adapter calls a use case',
    'memory/a.ts',
    "import { x } from '../actions/x.ts';",
    'memory/a.ts (adapter) imports actions/x.ts',
  ],
  [
    'an adapter knows its neighbour',
    'transcript/a.ts',
    "import { x } from '../config/settings.ts';",
    'transcript/a.ts (adapter) imports config/settings.ts',
  ],
  [
    'the ground knows an adapter that stands on it',
    'platform/a.ts',
    "import { x } from '../config/settings.ts';",
    'platform/a.ts (adapter) imports config/settings.ts',
  ],
  [
    'the client of the daemon loads the model',
    'daemon/client.ts',
    "import { loadEmbedder } from '../embedding/embedder.ts';",
    'daemon/client.ts (adapter) imports embedding/embedder.ts',
  ],
  ['an edge knows an edge', 'rpc/a.ts', "import { x } from '../hooks/run.ts';", 'rpc/a.ts (edge) imports hooks/run.ts'],
  [
    'an edge goes around the wiring',
    'commands/a.ts',
    "import { readTranscript } from '../transcript/index.ts';",
    'commands/a.ts (edge) imports transcript/index.ts',
  ],
  [
    'an edge calls an adapter it may only know by type',
    'commands/a.ts',
    "import { loadSettings } from '../config/settings.ts';",
    'commands/a.ts (edge) imports config/settings.ts',
  ],
  [
    'the wiring knows an edge',
    'app.ts',
    "import { x } from './commands/x.ts';",
    'app.ts (wiring) imports commands/x.ts',
  ],
  ['the library drags in the wiring', 'index.ts', "export { x } from './app.ts';", 'index.ts (surface) imports app.ts'],
  ['a folder nobody placed', 'stuff/a.ts', '', 'stuff/a.ts: stuff belongs to no ring'],
  ['a file without an idea', 'messages/utils.ts', '', 'messages/utils.ts has a name without an idea'],
  ['a folder without an idea', 'platform/helpers/a.ts', '', 'platform/helpers/a.ts has a name without an idea'],
  ['someone ends the process', 'commands/a.ts', 'process.exit(1);', 'commands/a.ts ends the process'],
  ['someone reads the environment', 'hooks/a.ts', 'const x = process.env.HOME;', 'hooks/a.ts reads the environment'],
  ['someone uses console', 'transcript/a.ts', "console.error('x');", 'transcript/a.ts uses console'],
  ['someone writes to stdout', 'rpc/a.ts', "process.stdout.write('x');", 'rpc/a.ts writes to a standard stream'],
  ['someone writes to descriptor 1', 'rpc/a.ts', "writeSync(1, 'x');", 'rpc/a.ts writes to a standard stream'],
];

test.each(offences)('notices when %s', (_name, path, text, breach) => {
  expect(breachesOf([source(path, text)])).toEqual([breach]);
});

test('notices a cycle across files, also one of types only', () => {
  const sources = [
    source('messages/a.ts', "import type { B } from './b.ts';"),
    source('messages/b.ts', "import { c } from '../tokens/c.ts';"),
    source('tokens/c.ts', "import { a } from '../messages/a.ts';"),
  ];
  expect(breachesOf(sources)).toEqual(['cycle: messages/a.ts → messages/b.ts → tokens/c.ts → messages/a.ts']);
});

const permitted: [path: string, text: string][] = [
  ['messages/a.ts', "import { createHash } from 'node:crypto';\nimport { ChittaError } from '../errors.ts';"],
  ['transcript/a.ts', "import { open } from 'node:fs/promises';\nimport { x } from '../platform/paths.ts';"],
  ['commands/a.ts', "import type { App } from '../app.ts';\nimport type { Env } from '../platform/env.ts';"],
  ['cli.ts', "const { runHook } = await import('./hooks/run.ts');\nprocess.exit(process.env.X ? 1 : 0);"],
  ['app.ts', "import { x } from './actions/x.ts';\nimport { y } from './transcript/index.ts';"],
  ['daemon/run.ts', "import { loadEmbedder } from '../embedding/embedder.ts';"],
  ['daemon/parts.ts', "import type { Nearest } from '../memory/nearest.ts';"],
  ['scoring/a.ts', "// import { readFileSync } from 'node:fs';\n/* process.exit(1) console.log(1) */"],
];

test.each(permitted)('says nothing of what %s may do', (path, text) => {
  expect(breachesOf([source(path, text)])).toEqual([]);
});

test('an exception lets one import pass, and is itself a breach once nobody needs it', () => {
  const offender = source('rpc/a.ts', "import { x } from '../hooks/run.ts';");
  const exception = { from: 'rpc/a.ts', to: 'hooks/run.ts', reason: 'made up, to try the table of exceptions' };
  expect(breachesOf([offender], [exception])).toEqual([]);
  expect(breachesOf([], [exception])).toEqual(['exception rpc/a.ts → hooks/run.ts is not needed']);
});
