// Drives real Claude Code binaries with the built plugin, against a model API on loopback, without any other network where
// the machine allows it. Usage: npm run test:e2e [-- vitest arguments]
// The binaries come from npm, once, into $CHITTA_E2E_CACHE (default: ~/.cache/chitta-e2e); or name your own in
// CHITTA_E2E_CLAUDE, newest first, separated like PATH.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Newest first. The second is the newest that npm gives to Node 20 by itself; the first knows modules of plugins. */
const VERSIONS = ['2.1.332', '2.1.197'];
const PACKAGE = '@anthropic-ai/claude-code';
/** Its command line runs on Node 20, though it asks for a newer one. */
const INSPECTOR = ['@modelcontextprotocol/inspector', '2.12.0'];

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = process.env.CHITTA_E2E_CACHE || join(homedir(), '.cache', 'chitta-e2e');
const say = (text) => process.stderr.write(`test:e2e: ${text}\n`);

/** Name of the package that holds the binary for this machine. */
function platformPackage() {
  const musl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  return `${PACKAGE}-${process.platform}-${process.arch}${musl ? '-musl' : ''}`;
}

const binaryIn = (folder) => join(folder, 'node_modules', platformPackage(), 'claude');

/** Installs beside the place where it belongs and moves it there whole, so that two runs may do so at once. */
function install(name, version, folder, programIn) {
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'installing-'));
  try {
    say(`fetching ${name} ${version} from the package registry, once`);
    const argv = ['install', '--prefix', work, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
    execFileSync('npm', [...argv, '--loglevel=error', `${name}@${version}`], { cwd: work, stdio: ['ignore', 2, 2] });
    if (!existsSync(programIn(work)))
      throw new Error(`npm installed no program for ${process.platform} ${process.arch}`);
    if (!existsSync(folder)) renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function npmAnswers() {
  return spawnSync('npm', ['view', PACKAGE, 'name', '--fetch-retries=0'], { stdio: 'ignore' }).status === 0;
}

/** A host that is there, or one that says why it is missing. Missing on a build that could have fetched it is an error. */
function hostOf(version) {
  const folder = join(cache, version);
  try {
    if (!existsSync(binaryIn(folder))) install(PACKAGE, version, folder, binaryIn);
    return { version, path: binaryIn(folder) };
  } catch (error) {
    const answers = npmAnswers();
    if (answers && process.env.CI === 'true') throw error;
    const reason = answers ? error.message.split('\n')[0] : 'not in the cache, and npm cannot be reached';
    say(`Claude Code ${version}: ${reason}`);
    return { version, missing: reason };
  }
}

/** The inspector's program, or why it is not there. It is a tool beside the host: a build goes on without it. */
function inspector() {
  const [name, version] = INSPECTOR;
  const folder = join(cache, `inspector-${version}`);
  const programIn = (at) => join(at, 'node_modules', '.bin', 'mcp-inspector');
  try {
    if (!existsSync(programIn(folder))) install(name, version, folder, programIn);
    return { CHITTA_E2E_INSPECTOR: programIn(folder) };
  } catch {
    return { CHITTA_E2E_INSPECTOR_MISSING: 'not in the cache, and npm did not install it' };
  }
}

function ownHosts(list) {
  return list.split(delimiter).map((path) => {
    const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim().split(' ')[0];
    return { version, path };
  });
}

/** Command that starts another one where no network is but loopback; undefined if this machine does not let us. */
function withoutNetwork() {
  const argv = ['unshare', '--map-root-user', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  return spawnSync(argv[0], [...argv.slice(1), 'true'], { stdio: 'ignore' }).status === 0 ? argv : undefined;
}

try {
  const own = process.env.CHITTA_E2E_CLAUDE;
  const hosts = own ? ownHosts(own) : VERSIONS.map(hostOf);
  const isolation = withoutNetwork();
  if (!isolation) say('this machine lets us make no network of our own: only settings keep the host from the real one');
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const config = join(root, 'test', 'e2e', 'vitest.config.ts');
  const argv = [process.execPath, vitest, 'run', '--config', config, ...process.argv.slice(2)];
  const env = {
    ...process.env,
    ...inspector(),
    CHITTA_E2E_HOSTS: JSON.stringify(hosts),
    CHITTA_E2E_NETWORK: isolation ? 'cut off' : 'open: unshare is not allowed here',
  };
  const [file, ...rest] = [...(isolation ?? []), ...argv];
  process.exitCode = spawnSync(file, rest, { cwd: root, stdio: 'inherit', env }).status ?? 1;
} catch (error) {
  say(`failed: ${error.message}`);
  process.exitCode = 1;
}
