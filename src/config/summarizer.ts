/** Which model writes summaries, and which window its prompts are made for. One rule for summaries that are asked for and others. */
import type { Env } from '../platform/env.ts';
import { resolveModel } from '../planning/model.ts';
import type { ModelTable } from './models.ts';

export interface SummarizerQuestion {
  readonly models: ModelTable;
  readonly env: Env;
  /** From the command line. */
  readonly asked?: string | undefined;
  /** The model that leads the conversation, where it is known. */
  readonly turnModel?: string | undefined;
}

export interface SummarizerChoice {
  /** `PROVIDER:MODEL`, or a model's name. */
  readonly reference: string;
  readonly chosenBy: 'flag' | 'CHITTA_SUMMARIZER' | 'small_model' | 'turn';
  /** Tokens; undefined: none is declared, and prompts are not split. */
  readonly window: number | undefined;
  /** Whose window that is. */
  readonly windowOf: 'itself' | 'turn' | undefined;
  /** Newest exchanges that stay whole. */
  readonly tailTurns: number;
}

function said(text: string | undefined): string | undefined {
  const word = text?.trim();
  return word === '' ? undefined : word;
}

/** The window declared for a model, also under its name without the provider in front. */
function declaredWindow(models: ModelTable, reference: string): number | undefined {
  const bare = reference.replace(/^(?:anthropic|openai|claude|gguf):/, '');
  return (models.get(reference) ?? models.get(bare))?.contextWindow;
}

/** The window declared for the turn's model; undefined if there is none. */
export function turnWindow(models: ModelTable, turnModel: string | undefined): number | undefined {
  return turnModel === undefined ? undefined : declaredWindow(models, turnModel);
}

/**
 * What was asked for, else `CHITTA_SUMMARIZER`, else the `small_model` of the turn's model, else that model. The window is its own,
 * else the turn's model's. Undefined if none of them is known.
 */
export function chooseSummarizer({ models, env, asked, turnModel }: SummarizerQuestion): SummarizerChoice | undefined {
  const turn = resolveModel((turnModel === undefined ? undefined : models.get(turnModel)) ?? {});
  const candidates: readonly (readonly [SummarizerChoice['chosenBy'], string | undefined])[] = [
    ['flag', said(asked)],
    ['CHITTA_SUMMARIZER', said(env['CHITTA_SUMMARIZER'])],
    ['small_model', turn.smallModel],
    ['turn', said(turnModel)],
  ];
  for (const [chosenBy, reference] of candidates) {
    if (reference === undefined) continue;
    const own = declaredWindow(models, reference);
    const window = own ?? turnWindow(models, turnModel);
    const windowOf = own !== undefined ? 'itself' : window === undefined ? undefined : 'turn';
    return { reference, chosenBy, window, windowOf, tailTurns: turn.tailTurns };
  }
  return undefined;
}
