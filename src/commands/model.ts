/** `chitta model`: which embedding model is used, others from a file or from Hugging Face, and whether the files are whole. */
import type { Command } from 'commander';
import type { FileCheck, ListedModel, ModelList, ModelShelf, Progress } from '../actions/model.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import { writeTo } from '../terminal/streams.ts';
import { type Look, type Style, styleFor } from '../terminal/style.ts';
import type { CommandContext, Output } from './context.ts';
import { printJson } from './json.ts';

const BAR_CELLS = 24;
const CHOSEN_BY: Readonly<Record<ModelList['chosenBy'], string>> = {
  CHITTA_MODEL: 'chosen by CHITTA_MODEL',
  'model.json': 'chosen with chitta model use',
  default: 'the default',
};
const STATES: Readonly<Record<FileCheck['state'], { readonly look: Look; readonly words: string }>> = {
  ok: { look: 'green', words: 'ok' },
  differs: { look: 'red', words: 'differs' },
  missing: { look: 'red', words: 'missing' },
  unrecorded: { look: 'yellow', words: 'no sum' },
};

function detailLines({ details, problem, path, origin }: ListedModel): string[] {
  if (!details) return [problem ?? `${path} cannot be used`];
  const { dim, pooling, chunkTokens, contextTokens, tokenizer, queryPrefix, passagePrefix, id } = details;
  const own = tokenizer === 'llama.cpp' ? "llama.cpp's tokenizer: wrong for some scripts" : 'its own tokenizer';
  const prefixes = [queryPrefix && `queries after "${queryPrefix}"`, passagePrefix && `texts after "${passagePrefix}"`];
  return [
    `${origin}, ${path}`,
    `${dim} numbers by ${pooling} pooling, ${chunkTokens} of ${contextTokens} tokens at once, ${own}`,
    ...prefixes.filter((line) => line !== ''),
    `vectors: ${id}`,
  ];
}

/** One paragraph per model, the one in use marked. */
export function renderModels({ models, chosenBy, problem }: ModelList, style: Style): string {
  const paragraphs = models.map((model) => {
    const name = style.paint('bold', sanitizeLine(model.name));
    const head = model.chosen ? `${style.paint('green', '*')} ${name}  ${CHOSEN_BY[chosenBy]}` : `  ${name}`;
    return [head, ...detailLines(model).map((line) => `    ${style.paint('dim', sanitizeLine(line))}`)].join('\n');
  });
  const trouble = problem === undefined ? [] : [style.paint('red', sanitizeLine(problem))];
  return `${[...paragraphs, ...trouble].join('\n')}\n`;
}

/** A model as JSON: the fields of the list, in snake_case. */
export function modelJson({ name, path, origin, chosen, details, problem }: ListedModel): Record<string, unknown> {
  const known = details && {
    id: details.id,
    dim: details.dim,
    pooling: details.pooling,
    context_tokens: details.contextTokens,
    chunk_tokens: details.chunkTokens,
    query_prefix: details.queryPrefix,
    passage_prefix: details.passagePrefix,
    tokenizer: details.tokenizer,
  };
  return { name, path, origin, chosen, ...known, ...(problem === undefined ? {} : { problem }) };
}

/** One line per file. */
export function renderChecks(files: readonly FileCheck[], style: Style): string {
  const width = Math.max(...Object.values(STATES).map(({ words }) => words.length));
  const line = ({ path, state }: FileCheck): string =>
    `${style.paint(STATES[state].look, STATES[state].words.padEnd(width))}  ${sanitizeLine(path)}\n`;
  return files.map(line).join('');
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

/** The bar of a download, one line. */
export function renderProgress({ doneBytes, totalBytes }: Progress): string {
  const share = totalBytes > 0 ? doneBytes / totalBytes : 1;
  const cells = Math.floor(share * BAR_CELLS);
  const bar = '█'.repeat(cells) + '░'.repeat(BAR_CELLS - cells);
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${megabytes(doneBytes)} of ${megabytes(totalBytes)} MB`;
}

/** Draws progress on a terminal, only when it looks different from before; does nothing elsewhere. */
export function progressOn(stderr: Output): { draw: (progress: Progress) => void; end: () => void } {
  let drawn = '';
  if (stderr.isTTY !== true) return { draw: () => undefined, end: () => undefined };
  const put = (text: string): void => void writeTo(stderr, text).catch(() => undefined);
  return {
    draw: (progress) => {
      const line = renderProgress(progress);
      if (line !== drawn) put(`\r${line}`);
      drawn = line;
    },
    end: () => {
      if (drawn !== '') put('\n');
    },
  };
}

/** Adds `chitta model list|use|pull|verify`; without a word it is `list`. */
export function addModelCommand(program: Command, ctx: CommandContext): void {
  const open = async (): Promise<ModelShelf> => (await ctx.openApp()).openModels();
  const style = (): Style => styleFor(ctx.stdout, ctx.env);
  const model = program
    .command('model')
    .summary('see, choose, fetch and check embedding models')
    .description('See, choose, fetch and check embedding models.')
    .addHelpText(
      'after',
      `
Examples:
  chitta model                                   which there are and which is used
  chitta model pull nomic-ai/nomic-embed-text-v1.5-GGUF/nomic-embed-text-v1.5.Q8_0.gguf
  chitta model use nomic-embed-text-v1.5.Q8_0    by name, or by the path of any GGUF file
  chitta model use default                       the one that comes with chitta
`,
    );
  model
    .command('list', { isDefault: true })
    .description('List the models on this machine, and which is in use.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const list = (await open()).list();
      const { chosenBy, problem } = list;
      if (!json) return ctx.print(renderModels(list, style()));
      const trouble = problem === undefined ? {} : { problem };
      return printJson(ctx, { models: list.models.map(modelJson), chosen_by: chosenBy, ...trouble });
    });
  model
    .command('use')
    .description('Choose a model. Vectors of another one are kept, but never compared with its own.')
    .argument('<model>', 'default, the name of a pulled model, or the path of a GGUF file')
    .action(async (nameOrPath: string) => {
      const { name } = await (await open()).use(nameOrPath);
      ctx.note(`chitta: ${sanitizeLine(name)} is used from now on`);
      if (ctx.env['CHITTA_MODEL']) ctx.note('chitta: but CHITTA_MODEL is set, and goes before it');
    });
  model
    .command('pull')
    .description('Fetch a model from Hugging Face. The only command that uses the network.')
    .argument('<repository>', 'OWNER/NAME, or OWNER/NAME/FILE.gguf')
    .option('--json', 'print JSON')
    .action(async (reference: string, { json }: { json?: true }) => {
      const { pullModel } = await import('../actions/model.ts');
      const progress = progressOn(ctx.stderr);
      const onFile = (file: string): void => ctx.note(`chitta: fetching ${sanitizeLine(file)}`);
      const pulled = await pullModel(await open(), { reference, onFile, onProgress: progress.draw }).finally(
        progress.end,
      );
      await (json ? printJson(ctx, modelJson(pulled)) : ctx.print(`${pulled.path}\n`));
      ctx.note(`chitta: to use it: chitta model use ${sanitizeLine(pulled.name)}`);
    });
  model
    .command('verify')
    .description('Check the files of the default model, and of the one in use, against their checksums.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { verifyModels } = await import('../actions/model.ts');
      const result = await verifyModels(await open());
      await (json ? printJson(ctx, result) : ctx.print(renderChecks(result.files, style())));
      // The command itself has done its work.
      if (!result.ok) process.exitCode = 1;
    });
}
