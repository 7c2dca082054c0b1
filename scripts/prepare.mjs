// Makes a checkout ready: installs packages and builds, each only when it is not up to date already.
// Needs nothing but Node and npm; safe to run twice at once. Usage: node scripts/prepare.mjs
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`chitta needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** What the lock file asks for, against what npm noted down after its last install, whoever ran it. */
function isInstalled() {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages ?? {};
  const present = readJson(join(modules, '.package-lock.json'))?.packages;
  if (!present) return false;
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.startsWith('node_modules/') || entry.link) continue;
    // Optional packages may be missing: other platforms, --omit=optional, or a compiler that is not there.
    if (present[path] ? present[path].version !== entry.version : !entry.optional) return false;
  }
  return true;
}

/** False only when better-sqlite3 is there, but built for another Node than this one. */
function fitsThisNode() {
  const binary = join(modules, 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node');
  const tag = `node-v${process.versions.modules}-${process.platform}-${process.arch}`;
  if (!existsSync(binary) || existsSync(join(root, 'native', tag, 'better_sqlite3.node'))) return true;
  try {
    process.dlopen({ exports: {} }, binary);
    return true;
  } catch (error) {
    return !/NODE_MODULE_VERSION/.test(error.message);
  }
}

/** Hash of everything the build reads. */
function sourceHash() {
  const sources = readdirSync(join(root, 'src'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const settings = [
    'package.json',
    'tsconfig.json',
    'tsdown.config.ts',
    'scripts/hook-script.mjs',
    'package-lock.json',
  ];
  const hash = createHash('sha256');
  for (const path of [...sources, ...settings.map((name) => join(root, name))]) {
    hash.update(path.slice(root.length)).update(readFileSync(path));
  }
  return hash.digest('hex');
}

const buildStamp = join(root, '.cache', 'built');

function isBuilt(hash) {
  const results = ['cli.mjs', 'hook.cjs', 'hook-script.cjs', 'index.mjs', 'index.d.mts'].map((name) =>
    join(root, 'dist', name),
  );
  return (
    results.every((path) => existsSync(path)) && existsSync(buildStamp) && readFileSync(buildStamp, 'utf8') === hash
  );
}

/** Runs a step and keeps what its tools say, to show it only if they fail: a first run should be calm to read. */
function run(step, argv, hint) {
  process.stderr.write(`${step} …\n`);
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, shell: process.platform === 'win32' };
  const { status, error, stdout, stderr } = spawnSync(argv[0], argv.slice(1), options);
  if (status === 0) return;
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`);
  throw new Error(`\`${argv.join(' ')}\` failed (${error?.code ?? `exit ${status}`})\ntry: ${hint}`);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Runs `work` while no other prepare works in this checkout; one left behind by a dead process is taken over. */
function alone(work) {
  const lock = join(root, '.cache', 'prepare.lock');
  mkdirSync(join(root, '.cache'), { recursive: true });
  let told = false;
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = Number(existsSync(lock) ? readFileSync(lock, 'utf8') : 0);
    if (holder > 0 && !isAlive(holder)) rmSync(lock, { force: true });
    else {
      if (!told) process.stderr.write(`waiting for another install or build in this folder (process ${holder})\n`);
      told = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function prepare() {
  if (!isInstalled()) {
    // npm empties what a link points to before it installs: the packages of another checkout, and whoever works there.
    if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new Error(
        'node_modules is a link to packages of another lock file\ntry: install there, or remove the link',
      );
    }
    run(
      'installing packages (the first time takes a few minutes)',
      ['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error'],
      'check the network or proxy, then `npm ci` by hand',
    );
  }
  if (!fitsThisNode()) {
    const hint = 'a C++ compiler, make and Python 3 are needed; or `npm ci --omit=optional`, which leaves it out';
    run(
      'rebuilding better-sqlite3 for this Node (about two minutes)',
      ['npm', 'rebuild', 'better-sqlite3', '--loglevel=error'],
      hint,
    );
  }
  const hash = sourceHash();
  if (!isBuilt(hash)) {
    run('building', ['npm', 'run', '--silent', 'build'], 'read the first error above; `npm run build` repeats it');
    writeFileSync(buildStamp, hash);
  }
}

try {
  if (!isInstalled() || !fitsThisNode() || !isBuilt(sourceHash())) alone(prepare);
} catch (error) {
  process.stderr.write(`chitta: not ready: ${error.message}\n`);
  process.exit(1);
}
