// Makes the tree that people install the plugin from: what runs, its manifest and marketplace, and nothing that is built, tested
// or installed. Needs a build. Usage: node scripts/release.mjs [FOLDER]   (npm run release:tree; default: .cache/release)
//                                     node scripts/release.mjs --branch NAME   commits it on a branch of that name, pushes nothing
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** `chitta install` copies the same (src/platform/plugin-files.ts; a test compares). */
const PARTS = [
  '.claude-plugin',
  '.mcp.json',
  'bin',
  'commands',
  'dist',
  'hooks',
  'models',
  'LICENSE',
  'NOTICE',
  'plugin.json',
];

/** The library and its types: a plugin is not imported. */
const LIBRARY = /^(?:index|library-.*)\.mjs$|\.d\.mts$/;

const root = fileURLToPath(new URL('..', import.meta.url));
const [first, second] = process.argv.slice(2);
const branch = first === '--branch' ? second : undefined;
const folder = resolve(branch === undefined && first !== undefined ? first : join(root, '.cache', 'release'));

/** In the tree itself: the pages of the repository are not there. */
function readme({ version, description }) {
  return `# chitta ${version}

${description}

This is the built plugin for Claude Code, made by \`npm run release:tree\`. It needs Node 20.19 or newer on the PATH; without
it the plugin does nothing, and says so when a session begins. Nothing is sent anywhere, unless you
ask a model elsewhere for a summary.

Once it is installed, \`/chitta:status\` tells whether all of it works. Memory and embeddings need two native packages, which
\`bin/chitta setup\` installs (some 120 MB); without them it still reads transcripts, keeps and guides. Sources, tests, and
what was measured are on the main branch. MIT licence, see LICENSE; what is bundled, see NOTICE.
`;
}

function makeTree() {
  const { name, version, description, license, type, optionalDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  if (!existsSync(join(root, 'dist', 'cli.mjs'))) throw new Error('there is no build: npm run build');
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, '.claude-plugin'))) {
    throw new Error(`${folder} holds something else`);
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const part of PARTS) {
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: (path) => !LIBRARY.test(basename(path)) });
  }
  const own = { name, version, description, license, private: true, type, optionalDependencies };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
  writeFileSync(join(folder, 'README.md'), readme(own));
  return own;
}

/** Commits the tree as the next state of the branch, with an index of its own: the checkout is not touched. */
function commit({ version }) {
  const index = join(root, '.cache', 'release-index');
  rmSync(index, { force: true });
  const env = { ...process.env, GIT_INDEX_FILE: index };
  const git = (...argv) => execFileSync('git', argv, { cwd: root, env, encoding: 'utf8' }).trim();
  try {
    git('--work-tree', folder, 'add', '--all', '--force', '.');
    const tree = git('write-tree');
    const ref = `refs/heads/${branch}`;
    const [parent] = git('for-each-ref', '--format=%(objectname)', ref).split('\n');
    if (parent && git('rev-parse', `${parent}^{tree}`) === tree) return `${branch} is up to date`;
    const source = git('rev-parse', '--short', 'HEAD');
    const parents = parent ? ['-p', parent] : [];
    const made = git('commit-tree', tree, ...parents, '-m', `chitta ${version}, built from ${source}`);
    git('update-ref', ref, made);
    return `${branch} is at ${made.slice(0, 10)}; git push origin ${branch} publishes it`;
  } finally {
    rmSync(index, { force: true });
  }
}

try {
  if (first === '--branch' && second === undefined) throw new Error('--branch needs a name');
  const manifest = makeTree();
  process.stdout.write(`${branch === undefined ? folder : commit(manifest)}\n`);
} catch (error) {
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = 1;
}
