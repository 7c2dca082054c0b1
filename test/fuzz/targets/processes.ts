/** The same from outside: the built command line as a process. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { badPaths, BROKEN, EVENTS, inputOf, NAMES } from '../hook-events.ts';
import { holds, type Target } from '../target.ts';
import { damaged, transcriptBytes } from '../transcripts.ts';
import { answerProblems, hookInput } from './hooks.ts';
import { LAST, outputProblems, requestBytes } from './rpc.ts';

interface Finished {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly code: number | null;
  readonly ms: number;
}

/** Runs `chitta …` of the build at hand. */
function run(args: readonly string[], input: Buffer, env: Readonly<Record<string, string>>): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [join(process.cwd(), 'dist', 'cli.mjs'), ...args], { env });
    const out: Buffer[] = [];
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ stdout: Buffer.concat(out), stderr, code, ms: performance.now() - startedAt }),
    );
  });
}

/** Every event with every broken input and every path that is none: what is wrong with each, and how many there were. */
export async function hookMatrix(folder: string): Promise<{ cases: number; problems: string[] }> {
  const home = join(folder, 'matrix-home');
  mkdirSync(home, { recursive: true });
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, CHITTA_HOME: home, CHITTA_RUNTIME_DIR: '/dev/null' };
  const broken = NAMES.flatMap((name) => BROKEN.map(([what, input]) => ({ name, what, input })));
  const paths = EVENTS.flatMap((event) =>
    badPaths(folder).map(([what, path]) => ({
      name: event.name,
      what,
      input: () => Buffer.from(JSON.stringify(inputOf(event, path, folder))),
    })),
  );
  const problems: string[] = [];
  for (const { name, what, input } of [...broken, ...paths]) {
    const { stdout, stderr, code, ms } = await run(['hook', name], input(), env);
    const silent = stdout.length === 0 && stderr === '' && code === 0;
    const ownMs = EVENTS.find((event) => event.name === name)?.withinMs ?? 3_000;
    // Other work on the machine is not the hook's fault.
    const isLate = ms > ownMs && ms > ownMs + 5 * (await run(['--version'], Buffer.alloc(0), env)).ms;
    if (!silent || isLate)
      problems.push(`hook ${name}, ${what}: exit ${code}, ${Math.round(ms)} ms, ${stdout.toString()}${stderr}`);
  }
  return { cases: broken.length + paths.length, problems };
}

/** A few of the cases in processes of their own; `folder` gets their home. */
export function processTargets(folder: string): Target[] {
  const home = join(folder, 'process-home');
  mkdirSync(home, { recursive: true });
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, CHITTA_HOME: home, CHITTA_RUNTIME_DIR: '/dev/null' };
  let startMs = 0;
  /** The event's own time, and that of a process here and now: other work on the machine is not the hook's fault. */
  const withinMs = async (name: string): Promise<number> => {
    startMs = Math.max(startMs, (await run(['--version'], Buffer.alloc(0), env)).ms);
    return (EVENTS.find((event) => event.name === name)?.withinMs ?? 3_000) + 5 * startMs;
  };
  return [
    {
      name: 'json-rpc process',
      share: 0.015,
      property: fc.asyncProperty(requestBytes, async (bytes) => {
        const { stdout, stderr, code } = await run([], Buffer.concat([bytes, LAST]), env);
        const found = outputProblems(stdout.toString().replaceAll('\uFFFD', ''));
        if (code !== 0) found.push(`exit ${code}`);
        if (stderr !== '') found.push(`says ${stderr.slice(0, 200)}`);
        holds(found);
        return true;
      }),
    },
    {
      name: 'hook process',
      share: 0.015,
      property: fc.asyncProperty(hookInput(folder), damaged(transcriptBytes), async ({ name, input }, transcript) => {
        writeFileSync(join(folder, 'fuzzed.jsonl'), transcript);
        const { stdout, stderr, code, ms } = await run(['hook', name], input, env);
        const found = answerProblems(stdout.toString());
        if (code !== 0) found.push(`exit ${code}`);
        if (stderr !== '') found.push(`says ${stderr.slice(0, 200)}`);
        if (ms > (await withinMs(name))) found.push(`took ${Math.round(ms)} ms`);
        holds(found);
        return true;
      }),
    },
    {
      name: 'transcript process',
      share: 0.015,
      property: fc.asyncProperty(
        damaged(transcriptBytes),
        fc.constantFrom<string[][]>(
          ['transcript', '-', '--json'],
          ['compact', '-', '--json'],
          ['compact', '-', '--json', '--detail', 'excerpt'],
          ['transcript', '-', '--stats'],
        ),
        async (bytes, args) => {
          const { stdout, stderr, code } = await run(args, bytes, env);
          const found: string[] = [];
          const isRefused = code === 1 && /\[E_(?:INPUT_\w+|MESSAGE_INVALID)\]/.test(stderr);
          const isUsage = code === 2 && stderr.includes('[E_PARAM_INVALID]');
          if (code !== 0 && !isRefused && !isUsage) found.push(`exit ${code}: ${stderr.slice(0, 300)}`);
          if (code !== 0 && stdout.length > 0) found.push('an error, and output');
          const text = stdout.toString();
          if (code === 0 && !args.includes('--stats')) JSON.parse(text);
          if (stderr.includes('\u001b') || stderr.includes('\u009b')) found.push('escapes for the terminal');
          holds(found);
          return true;
        },
      ),
    },
  ];
}
