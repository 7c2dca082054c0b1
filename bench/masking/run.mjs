// How fast secrets are masked: usual text of sessions, and texts made to be slow, each at two lengths.
import process from 'node:process';
import { builtMask } from './built.mjs';

const LENGTH = 1_000_000;
const REPEATS = 5;
/** Ten times the text should take ten times as long; quadratic work would take a hundred times. */
const MOST_GROWTH = 30;
const LEAST_SPEED = 5;

const CODE = `export async function load(path, { token, limit = 20 } = {}) {
  const response = await fetch(\`https://api.example.com/v1/items?page=\${limit}\`, { headers: { authorization: token } });
  if (!response.ok) throw new Error(\`status \${response.status} of commit 9fceb02d0ae598e95dc970b74767f19372d61af8\`);
  return response.json(); // the password is asked for later
}\n`;
const PROSE =
  'The test fails because the second request is sent before the first one was answered, so that the session is gone. ';
const OUTPUT =
  '     12→    at Object.<anonymous> (/home/jo/project/src/session/store.test.ts:48:13)   2026-11-30T07:12:48.123Z INFO\n';

const TEXTS = [
  ['code', CODE, true],
  ['prose', PROSE, true],
  ['output of tools', OUTPUT, true],
  ['a secret in every line', `${OUTPUT}export DB_PASSWORD=hunter2\n`, false],
  ['names without end', 'secret=', false],
  ['equal signs', 'PASSWORD==', false],
  ['beginnings of keys', '-----BEGIN PRIVATE KEY-----', false],
  ['dotted runs', 'eyJabcdefghi.', false],
  ['sentences', 'password is ', false],
];

/** Processor time, least of several: what other processes do should not count. */
function timeOf(maskSecrets, text) {
  let least = Infinity;
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const before = process.cpuUsage();
    maskSecrets(text);
    least = Math.min(least, process.cpuUsage(before).user / 1e3);
  }
  return least;
}

export async function run() {
  const maskSecrets = await builtMask();
  const rows = [];
  let slowest = Infinity;
  let steepest = 0;
  for (const [what, seed, usual] of TEXTS) {
    const text = seed.repeat(Math.ceil(LENGTH / seed.length)).slice(0, LENGTH);
    timeOf(maskSecrets, text.slice(0, LENGTH / 10));
    const small = timeOf(maskSecrets, text.slice(0, LENGTH / 10));
    const large = timeOf(maskSecrets, text);
    const speed = LENGTH / 1e3 / large;
    const growth = large / Math.max(small, 0.5);
    if (usual) slowest = Math.min(slowest, speed);
    steepest = Math.max(steepest, growth);
    rows.push([what, large.toFixed(1), speed.toFixed(0), growth.toFixed(1)]);
  }
  return {
    name: 'masking',
    title: 'secrets masked, a million characters',
    columns: ['text', 'ms', 'million characters a second', 'growth for 10 × the text'],
    rows,
    notes: ['node bench/masking/hits.mjs FOLDER counts what would be masked in a folder of transcripts, by kind'],
    targets: [
      {
        what: 'usual text',
        reach: `${LEAST_SPEED} million characters a second`,
        value: `${slowest.toFixed(0)} million`,
        met: slowest >= LEAST_SPEED,
      },
      {
        what: 'linear',
        reach: `at most ${MOST_GROWTH} ×`,
        value: `${steepest.toFixed(1)} ×`,
        met: steepest <= MOST_GROWTH,
      },
    ],
  };
}
