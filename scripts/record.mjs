// Records anew what the pages show of a terminal: the scenarios of test/e2e/recording.e2e.ts, with the built plugin, the real
// Claude Code and a stand-in for the model. Writes docs/recordings: what was shown, and when, in asciinema's format (.cast), and
// pictures of the screen (.svg). Needs tmux. Usage: npm run record [-- -t 'compact --explain']
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'docs', 'recordings');
mkdirSync(folder, { recursive: true });
const env = { ...process.env, CHITTA_E2E_RECORDINGS: folder };
const argv = [join(root, 'scripts', 'test-e2e.mjs'), 'recording', ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, argv, { env, stdio: 'inherit' }).status ?? 1;
