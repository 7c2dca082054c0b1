// Makes a checkout ready: installs packages and builds, each only when what it depends on has changed.
// Needs nothing but Node and npm. Usage: node scripts/prepare.mjs
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamps = join(root, 'node_modules', '.chitta');

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`chitta needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

function hashOf(paths, extra = '') {
  const hash = createHash('sha256').update(extra);
  for (const path of paths) hash.update(path.slice(root.length)).update(readFileSync(path));
  return hash.digest('hex');
}

/** Runs `command` unless the stamp of an earlier run with the same inputs, and its result, are there. */
function once(name, hash, result, argv) {
  const stamp = join(stamps, name);
  if (existsSync(result) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  process.stderr.write(`${name}: ${argv.join(' ')}\n`);
  // A person's stdout may be piped: what the tools say goes to stderr.
  execFileSync(argv[0], argv.slice(1), { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  mkdirSync(stamps, { recursive: true });
  writeFileSync(stamp, hash);
}

try {
  const lock = join(root, 'package-lock.json');
  once('install', hashOf([lock], process.versions.modules), join(root, 'node_modules', '.package-lock.json'), ['npm', 'ci', '--no-audit', '--no-fund']);
  const sources = [...filesBelow('src'), join(root, 'package.json'), join(root, 'tsconfig.json'), join(root, 'tsdown.config.ts'), lock];
  once('build', hashOf(sources), join(root, 'dist', 'cli.mjs'), ['npm', 'run', '--silent', 'build']);
} catch (error) {
  process.stderr.write(`prepare failed: ${error.message}\n`);
  process.exit(1);
}
