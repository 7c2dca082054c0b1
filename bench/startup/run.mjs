// What one command costs from start to end, against a Node process that does nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { conversation, transcript } from '../data.mjs';
import { formatMs, formatRatio, timeProcesses } from '../measure.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.mjs', import.meta.url));
const BARE = 'node -e 0';
const HOOK = 'chitta hook pre-compact, 5 MB transcript';

export async function run() {
  const home = mkdtempSync(join(tmpdir(), 'chitta-bench-'));
  try {
    const middle = join(home, 'middle.jsonl');
    writeFileSync(middle, transcript(conversation({ count: 500, tokens: 100_000 })));
    const large = join(home, 'large.jsonl');
    const rows = transcript(conversation({ count: 3_300, tokens: 740_000 }));
    writeFileSync(large, rows);
    const hookInput = JSON.stringify({
      session_id: '00000000-0000-4000-9000-000000000000',
      transcript_path: large,
      cwd: home,
      hook_event_name: 'PreCompact',
      trigger: 'auto',
      custom_instructions: '',
    });
    const request = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'compact_context', arguments: { messages: conversation({ count: 60, tokens: 20_000 }) } },
    });
    const cases = [
      { name: BARE, argv: ['-e', '0'] },
      { name: 'chitta --version', argv: [cli, '--version'] },
      {
        name: 'JSON-RPC: one request, 60 messages',
        argv: [cli],
        input: `${request}\n`,
        expect: (out) => out.includes('after_tokens'),
      },
      {
        name: 'chitta compact, 100k tokens',
        argv: [cli, 'compact', middle, '--json'],
        expect: (out) => out.includes('after_tokens'),
      },
      { name: HOOK, argv: [cli, 'hook', 'pre-compact'], input: hookInput, expect: (out) => out.length > 0 },
    ];
    const env = { ...process.env, CHITTA_HOME: join(home, 'chitta'), NO_COLOR: '1' };
    const times = timeProcesses(cases, { env });
    const bare = times.get(BARE);
    return {
      name: 'startup',
      title: 'One command, from start to end',
      columns: ['command', 'wall time', 'against bare node'],
      rows: [...times].map(([name, ms]) => [name, formatMs(ms), formatRatio(ms / bare)]),
      notes: [
        `Fresh processes, ${rows.length.toLocaleString('en')} bytes in the large transcript; output piped.`,
        'The hook runs without vectors: there is no embedding daemon yet.',
      ],
      targets: [
        {
          what: HOOK,
          reach: '≤ 2.5 × bare node',
          value: formatRatio(times.get(HOOK) / bare),
          met: times.get(HOOK) / bare <= 2.5,
        },
      ],
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
