/** `chitta config`: shows the settings in force and changes the user's own. */
import type { Command } from 'commander';
import type { ConfigEntry, ConfigStore } from '../config/store.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import type { CommandContext } from './context.ts';

const SOURCE_WORDS: Readonly<Record<ConfigEntry['source'], string>> = {
  default: 'default',
  user: 'your file',
  project: '.chitta.json',
  plugin: 'plugin options',
  environment: 'environment',
  flag: 'command line',
};

/** All settings for a person: value, unit, source and purpose, one per line. */
export function renderEntries(entries: readonly ConfigEntry[], style: Style): string {
  const values = entries.map(({ value, unit }) => (unit === '' || value === null ? String(value) : `${value} ${unit}`));
  const keyWidth = Math.max(...entries.map(({ key }) => key.length));
  const valueWidth = Math.max(...values.map((value) => value.length));
  const sourceWidth = Math.max(...entries.map(({ source }) => SOURCE_WORDS[source].length));
  const lines = entries.map(({ key, source, doc }, index) => {
    const name = style.paint('bold', key.padEnd(keyWidth));
    const value = (values[index] ?? '').padEnd(valueWidth);
    const from = SOURCE_WORDS[source].padEnd(sourceWidth);
    return `${name}  ${value}  ${style.paint(source === 'default' ? 'dim' : 'cyan', from)}  ${style.paint('dim', doc)}\n`;
  });
  return lines.join('');
}

/** All settings as JSON, by key. */
export function entriesJson(entries: readonly ConfigEntry[]): string {
  const byKey = entries.map(({ key, value, source, default: standard }) => [key, { value, source, default: standard }]);
  return `${JSON.stringify(Object.fromEntries(byKey), null, 2)}\n`;
}

/** What to tell someone whose change has no effect, or nothing: `wanted` is where the value should now come from. */
export function overruled({ key, value, source }: ConfigEntry, wanted: ConfigEntry['source']): string | undefined {
  if (source === wanted || source === 'default' || source === 'user') return undefined;
  return `saved, but ${key} stays ${value}: ${SOURCE_WORDS[source]} goes before your file`;
}

/** Adds `chitta config get|set|unset|path`; without a word it is `get`. */
export function addConfigCommand(program: Command, ctx: CommandContext): void {
  const open = async (): Promise<ConfigStore> => (await ctx.openApp()).openConfig();
  const change = async (entry: ConfigEntry | undefined, wanted: ConfigEntry['source']): Promise<void> => {
    const warning = entry && overruled(entry, wanted);
    if (warning !== undefined) ctx.note(warning);
  };
  const config = program.command('config').summary('show and change settings').description('Show and change settings.');
  config.addHelpText(
    'after',
    `
Examples:
  chitta config                          all settings and where each value comes from
  chitta config get target_ratio         one value, for scripts
  chitta config set target_ratio 0.3     keep 30 % of the tokens
  chitta config unset target_ratio       back to the default
  chitta config set models.gpt-4.1.context_window 1047576
                                         a model's window, for planned compactions
  chitta config set tickets.github.com.kind github
                                         a tracker that may be asked for tickets
`,
  );
  config
    .command('get', { isDefault: true })
    .description('Print all settings in force, or the value of one.')
    .argument('[key]', 'a setting')
    .option('--json', 'print JSON')
    .action(async (key: string | undefined, { json }: { json?: true }) => {
      const store = await open();
      if (key === undefined) {
        const { entries } = store.list();
        return ctx.print(json ? entriesJson(entries) : renderEntries(entries, styleFor(ctx.stdout, ctx.env)));
      }
      const entry = store.get(key);
      return ctx.print(json ? entriesJson([entry]) : `${entry.value ?? ''}\n`);
    });
  config
    .command('set')
    .description('Write a value into your settings file.')
    .argument('<key>', 'a setting')
    .argument('<value>', 'its value')
    .action(async (key: string, value: string) => {
      const store = await open();
      await change(store.set(key, value), 'user');
      // A project may switch off all of them.
      if (key.startsWith('tickets.')) await change(store.get('tickets'), 'user');
    });
  config
    .command('unset')
    .description('Take a setting out of your settings file.')
    .argument('<key>', 'a setting')
    .action(async (key: string) => change((await open()).unset(key), 'default'));
  config
    .command('path')
    .description('Print where your settings file is.')
    .option('--json', "print JSON, with the project's file too")
    .action(async ({ json }: { json?: true }) => {
      const { paths } = await open();
      return ctx.print(json ? `${JSON.stringify(paths, null, 2)}\n` : `${paths.user}\n`);
    });
}
