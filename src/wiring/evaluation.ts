/** Transcripts and an exact tokenizer for `chitta evaluate`. The tokenizer's tables are large: nothing else loads them. */
import { dirname, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { EvaluationPort } from '../actions/evaluate.ts';
import type { Env } from '../platform/env.ts';
import { projectRoot } from '../platform/project.ts';
import { collectFiles } from '../transcript/collect.ts';
import { transcriptsFolder } from '../transcript/folders.ts';
import { foreignNameOf, readSegments } from '../transcript/segments.ts';

/**
 * The tokenizer's time grows with the square of a run without a change between blank and not blank. Windows of so many
 * characters that hold no such change end a piece: a token more or less in each.
 */
const WINDOW = 1_000;

/** Token names in a text are text, and no orders to the tokenizer. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at + WINDOW < text.length; at += WINDOW) {
    const window = text.slice(at, at + WINDOW);
    if (/\s/.test(window) && /\S/.test(window)) continue;
    pieces.push(text.slice(from, at + WINDOW));
    from = at + WINDOW;
  }
  return from === 0 ? [text] : [...pieces, text.slice(from)];
}

/** The last part of a root, before any folder of worktrees: worktrees that are gone and other clones count as one project. */
function nameOfProject(root: string): string {
  const [main = root] = root.split(/[\\/]\.(?:[\w-]+[\\/])?worktrees[\\/]/, 1);
  return main.split(/[\\/]/).findLast((part) => part !== '') ?? root;
}

/** Loads the tokenizer (o200k). */
export async function openEvaluation(env: Env, cwd: string): Promise<EvaluationPort> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const roots = new Map<string, string>();
  const projectOf = (folder: string): string => {
    const known = roots.get(folder);
    if (known !== undefined) return known;
    const root = nameOfProject(projectRoot(folder));
    roots.set(folder, root);
    return root;
  };
  return {
    find: (paths) =>
      collectFiles(paths.length === 0 ? [transcriptsFolder(env)] : paths.map((path) => resolve(cwd, path))),
    read: async ({ path }) => {
      const read = await readSegments(path);
      if (read === undefined) return undefined;
      return {
        project: read.cwd === undefined ? dirname(path) : projectOf(read.cwd),
        segments: read.segments,
        damagedLines: read.damagedLines,
      };
    },
    formatOf: ({ path }) => foreignNameOf(path),
    countText: (text) => piecesOf(text).reduce((sum, piece) => sum + countTokens(piece, PLAIN), 0),
    now: () => performance.now(),
  };
}
