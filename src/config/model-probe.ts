/** What `chitta doctor` says about the windows that are declared of models, for planned compactions. */
import { limitsOf } from '../planning/limits.ts';
import { type ModelConfig, resolveModel } from '../planning/model.ts';
import type { Check, Probe } from '../ports/check.ts';
import { loadModels, type ModelTable } from './models.ts';

interface Places {
  readonly home: string;
  readonly projectRoot: string;
}

/** What bounds the prompt of a summariser: its own window, else that of the model of the turn, else nothing. */
function summariserOf({ smallModel, contextWindow }: ModelConfig, models: ModelTable): string | undefined {
  if (smallModel === undefined) return undefined;
  const own = models.get(smallModel)?.contextWindow;
  if (own !== undefined) return `summaries by ${smallModel}, in pieces for its window of ${own} tokens`;
  if (contextWindow !== undefined) return `summaries by ${smallModel}, in pieces for this window, as it declares none`;
  return `summaries by ${smallModel}, in one piece, as no window is declared`;
}

function checkOf(model: string, config: ModelConfig, models: ModelTable): Check {
  const name = 'windows';
  const resolved = resolveModel(config);
  const limits = limitsOf(resolved);
  const summariser = summariserOf(config, models);
  const lines = (first: string, ...more: string[]): string =>
    [first, ...more, ...(summariser === undefined ? [] : [summariser])].join('\n');
  if (limits === undefined) {
    return {
      name,
      state: 'warn',
      detail: lines(`${model}: no context window is declared, so nothing is compacted on its own`),
      fix: `chitta config set models.${model}.context_window TOKENS`,
    };
  }
  const { window, reserved, trigger } = limits;
  const most = Math.floor(window / 4);
  const capped =
    reserved < resolved.reserved
      ? `${reserved} of ${resolved.reserved} reserved tokens are in effect: no more than a quarter of the window`
      : `${reserved} tokens are reserved`;
  const growth = `a turn's largest tool result is kept free as well, ${most} tokens at most`;
  if (!resolved.auto)
    return { name, state: 'ok', detail: lines(`${model}: window ${window}, compacted only when asked`) };
  return { name, state: 'ok', detail: lines(`${model}: window ${window}, compacted above ${trigger}`, capped, growth) };
}

/** One check per model, and one per mistake in the table. */
export function windowsProbe(places: Places): Probe {
  return {
    name: 'windows',
    run: () => {
      const { models, warnings } = loadModels(places);
      const fix = 'correct that file; docs/configuration.md says what a model may have';
      const mistakes = warnings.map((detail): Check => ({ name: 'windows', state: 'warn', detail, fix }));
      const checks = [...models].map(([model, config]) => checkOf(model, config, models));
      if (checks.length + mistakes.length > 0) return [...mistakes, ...checks];
      return [{ name: 'windows', state: 'ok', detail: 'none declared; only programs that plan compactions need one' }];
    },
  };
}
