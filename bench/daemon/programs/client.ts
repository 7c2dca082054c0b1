/** What a hook does with the daemon: connects, has 60 turns scored, ends. Arguments: runtime folder, home, model, file with texts. */
import { readFileSync } from 'node:fs';
import { reachDaemon } from '../../../src/daemon/reach.ts';
import { endpointOf } from '../../../src/daemon/places.ts';
import { createScorer } from '../../../src/daemon/scorer.ts';

const [, , runtimeDir = '', home = '', model = '', path = ''] = process.argv;
const fail = (line: string): void => {
  process.exitCode = 1;
  process.stderr.write(`${line}\n`);
};
// Written by the benchmark.
const texts = path === '' ? [] : (JSON.parse(readFileSync(path, 'utf8')) as string[]);
const env = { CHITTA_RUNTIME_DIR: runtimeDir };
const endpoint = endpointOf({ env, home, model });
const reach = reachDaemon({ endpoint, home, env, build: '0.1.0', command: ['false'], log: fail });
const sourceIds = texts.map(() => undefined);
const request = { texts, query: texts.at(-1), sourceIds, project: undefined, deadlineMs: 4_000 };
const scores = await createScorer(reach, fail).score(request);
if (texts.length > 0 && !scores?.similarity) fail('there were no scores');
