// One process that reads the end of one transcript and says what that took. Usage: node reader.mjs FILE LAST
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { readTranscript } from '../../dist/index.mjs';

const [path, last] = process.argv.slice(2);
const startedAt = performance.now();
const { messages, stats } = await readTranscript(path, { last: Number(last) });
const readMs = performance.now() - startedAt;
const { maxRSS } = process.resourceUsage();
const answer = { readMs, rssMb: maxRSS / 1024, messages: messages.length, bytesRead: stats.bytesRead };
process.stdout.write(JSON.stringify({ ...answer, capHit: stats.capHit }));
