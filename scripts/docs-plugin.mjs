// Writes what Claude Code reads of the plugin from what this package says of itself: plugin.json takes its version and
// words from package.json, .claude-plugin/ and .mcp.json take the rest from plugin.json. Usage: node scripts/docs-plugin.mjs (npm run check runs it)
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const readJson = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'));

const { name, version, description, license, keywords } = readJson('package.json');
const manifest = { ...readJson('plugin.json'), name, version, description, license, keywords };
const { author, displayName } = manifest;
// The version stands in the manifest alone: two places could differ.
const entry = { name, displayName, source: './', description, author, license, keywords, category: 'productivity' };
const marketplace = { name, owner: author, metadata: { description }, plugins: [entry] };

// Hooks are told of options by variables; a server is not, so it is told the same way here. One that is not set is an empty text.
const options = Object.fromEntries(
  Object.keys(manifest.userConfig).map((key) => [
    `CLAUDE_PLUGIN_OPTION_${key.toUpperCase()}`,
    `\${user_config.${key}}`,
  ]),
);
const server = { command: 'sh', args: ['${CLAUDE_PLUGIN_ROOT}/bin/chitta', 'mcp'], env: options };

const files = {
  'plugin.json': manifest,
  [join('.claude-plugin', 'plugin.json')]: manifest,
  [join('.claude-plugin', 'marketplace.json')]: marketplace,
  '.mcp.json': { mcpServers: { [name]: server } },
};
mkdirSync(join(root, '.claude-plugin'), { recursive: true });
for (const [file, content] of Object.entries(files)) {
  writeFileSync(join(root, file), `${JSON.stringify(content, null, 2)}\n`);
}
const oxfmt = join(root, 'node_modules', 'oxfmt', 'bin', 'oxfmt');
execFileSync(process.execPath, [oxfmt, ...Object.keys(files)], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
