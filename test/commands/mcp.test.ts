import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addMcpCommand } from '../../src/commands/mcp.ts';
import { type Bench, benchFor } from './context.ts';

let bench: Bench;
beforeEach(() => {
  bench = benchFor(addMcpCommand);
});
afterEach(() => bench.remove());

test('a folder that is not there is wrong usage, not a project of its own', async () => {
  const file = join(bench.project, 'a file');
  writeFileSync(file, '');
  for (const wrong of ['/no/where', file, '']) {
    await expect(bench.run('mcp', '--project', wrong)).rejects.toThrow('There is no such folder.');
  }
  // Served, if there were a client.
  await expect(bench.run('mcp', '--project', bench.project)).rejects.toThrow('there is no client');
});
