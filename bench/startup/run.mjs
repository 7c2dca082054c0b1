// What one command costs from start to end, against a Node process that does nothing.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { conversation, transcript } from '../data.mjs';
import { formatMs, formatRatio, timeProcesses } from '../measure.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.mjs', import.meta.url));
// What the plugin's hooks run (bin/chitta).
const hook = fileURLToPath(new URL('../../dist/hook.cjs', import.meta.url));
const BARE = 'node -e 0';
const COLD = 'chitta hook pre-compact, 5 MB transcript, no daemon';
const WARM = 'chitta hook pre-compact, 5 MB transcript, warm vectors';
const PROMPT = 'chitta hook user-prompt-submit, daemon up';

export async function run() {
  const home = mkdtempSync(join(tmpdir(), 'chitta-bench-'));
  const env = { ...process.env, CHITTA_HOME: join(home, 'chitta'), CHITTA_RUNTIME_DIR: '/dev/null', NO_COLOR: '1' };
  const withDaemon = { ...env, CHITTA_HOME: join(home, 'warm'), CHITTA_RUNTIME_DIR: join(home, 'run') };
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
    const prompt = JSON.stringify({
      session_id: '00000000-0000-4000-9000-000000000000',
      transcript_path: large,
      cwd: home,
      hook_event_name: 'UserPromptSubmit',
      prompt: 'please make the button in the header blue, and keep the rest as it is',
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
      { name: COLD, argv: [hook, 'hook', 'pre-compact'], input: hookInput, expect: (out) => out.length > 0 },
      {
        name: WARM,
        argv: [hook, 'hook', 'pre-compact'],
        input: hookInput,
        env: withDaemon,
        expect: (out) => out.length > 0,
      },
      // As for most prompts, there is nothing to say.
      {
        name: PROMPT,
        argv: [hook, 'hook', 'user-prompt-submit'],
        input: prompt,
        env: withDaemon,
        expect: (out) => out === '',
      },
    ];
    // The vectors of the turns, before anything is measured.
    execFileSync(process.execPath, [cli, 'daemon', 'warm', large], { env: withDaemon, stdio: 'ignore' });
    const times = timeProcesses(cases, { env });
    const bare = times.get(BARE);
    const episodes = JSON.parse(
      execFileSync(process.execPath, [cli, 'episodes', '--json'], { env: withDaemon, encoding: 'utf8', cwd: home }),
    );
    return {
      name: 'startup',
      title: 'One command, from start to end',
      columns: ['command', 'wall time', 'against bare node'],
      rows: [...times].map(([name, ms]) => [name, formatMs(ms), formatRatio(ms / bare)]),
      notes: [
        `Fresh processes, ${rows.length.toLocaleString('en')} bytes in the large transcript; output piped.`,
        `With warm vectors the daemon compared the turns with the query and with memory: ${episodes.episodes[0]?.embedding === true ? 'they decided' : 'they did not decide'}.`,
      ],
      targets: [
        {
          what: WARM,
          reach: '≤ 2.5 × bare node',
          value: formatRatio(times.get(WARM) / bare),
          met: times.get(WARM) / bare <= 2.5,
        },
        {
          what: PROMPT,
          reach: '≤ 1.5 × bare node',
          value: formatRatio(times.get(PROMPT) / bare),
          met: times.get(PROMPT) / bare <= 1.5,
        },
      ],
    };
  } finally {
    spawnSync(process.execPath, [cli, 'daemon', 'stop'], { env: withDaemon, stdio: 'ignore' });
    rmSync(home, { recursive: true, force: true });
  }
}
