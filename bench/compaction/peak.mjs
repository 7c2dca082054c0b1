// One compaction in a process of its own, for its peak memory. Usage: node peak.mjs TOKENS (none|need excerpt|need whole|formula whole)
import process from 'node:process';
import { sessionText } from './sessions.mjs';

const [tokens, strategy, detail] = process.argv.slice(2);
const messages = JSON.parse(sessionText(Number(tokens)));
if (strategy !== 'none') {
  const { compactContext } = await import('../../dist/index.mjs');
  await compactContext({ messages, strategy, detail });
}
process.stdout.write(`${process.resourceUsage().maxRSS / 1024}\n`);
