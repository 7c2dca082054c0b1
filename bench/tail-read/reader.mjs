// One process that reads the end of one transcript and says what that took. Usage: node reader.mjs FILE LAST
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { readTranscript } from '../../dist/index.mjs';

/** What the kernel counts as the process's maximum still holds that of the process it was forked from; VmHWM begins anew. */
function peakKb() {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}

const [path, last] = process.argv.slice(2);
const startedAt = performance.now();
const { messages, stats } = await readTranscript(path, { last: Number(last) });
const readMs = performance.now() - startedAt;
const answer = { readMs, rssMb: peakKb() / 1024, messages: messages.length, bytesRead: stats.bytesRead };
process.stdout.write(JSON.stringify({ ...answer, capHit: stats.capHit }));
