/** What `chitta doctor` says about the embedding model. Loads nothing. */
import type { Check, Probe } from '../ports/check.ts';
import { ChittaError } from '../errors.ts';
import { reasonOf } from '../platform/small-file.ts';
import { resolveModel } from './choice.ts';
import { Shelf, type ShelfOptions } from './shelf.ts';

const name = 'model';

function checkChosen(options: ShelfOptions): Check {
  try {
    const { model, chosenBy } = resolveModel(options.env, options, options.cwd);
    const by = chosenBy === 'default' ? '' : `, chosen by ${chosenBy}`;
    if (model.tokenizerPath !== undefined) return { name, state: 'ok', detail: `${model.id}${by}` };
    const fix = 'put the model’s tokenizer.json beside it, then chitta model use it again';
    return { name, state: 'warn', detail: `${model.id}${by}: llama.cpp’s tokenizer is wrong for some scripts`, fix };
  } catch (error) {
    const fix = error instanceof ChittaError ? error.hint : undefined;
    return { name, state: 'fail', detail: reasonOf(error), ...(fix === undefined ? {} : { fix }) };
  }
}

/** Which model is in use, and every file of it or of the default model that is not what it should be. */
export function modelProbe(options: ShelfOptions): Probe {
  return {
    name,
    run: async () => {
      const chosen = checkChosen(options);
      if (chosen.state === 'fail') return [chosen];
      const files = await new Shelf(options).verify();
      const bad = files.filter(({ state }) => state === 'differs' || state === 'missing');
      if (bad.length === 0) return [chosen];
      const fix = 'install chitta again, or choose the model again';
      return bad.map(({ path, state }) => ({
        name,
        state: 'fail',
        detail: `${path} ${state === 'missing' ? 'is missing' : 'is not what it was'}`,
        fix,
      }));
    },
  };
}
