/**
 * What a person chose in Claude Code for the plugin. The host tells only hooks of it, by variables; a command or a module of the same
 * plugin is told nothing. So the first hook of a session keeps it in a file, and whoever is not told reads that.
 */
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Env } from '../platform/env.ts';
import { ensurePrivateDir, writePrivateFile } from '../platform/paths.ts';
import { type ConfigFile, readConfigFile } from './file.ts';
import { type Setting, SETTINGS } from './table.ts';
import { fitting, type Value, valueFromText, wantedBy } from './values.ts';

/** Settings that plugin.json offers (`userConfig`; a test compares). */
export const OFFERED: readonly string[] = ['mode', 'budget_tokens', 'last_turns', 'recall', 'mcp'];

interface Places {
  readonly env: Env;
  readonly home: string;
}

export interface PluginOptions {
  readonly options: readonly (readonly [Setting, Value])[];
  readonly warnings: readonly string[];
}

function optionsFile(home: string): string {
  return join(home, 'plugin-options.json');
}

/** Whether the host says that this is a hook of our plugin: a hook of another one has options of its own under such names. */
function isOurHook(env: Env): boolean {
  return basename(env['CLAUDE_PLUGIN_DATA'] ?? '').startsWith('chitta-');
}

function collect(
  raw: (setting: Setting) => unknown,
  valueOf: (setting: Setting, raw: unknown) => Value | undefined,
): PluginOptions {
  const options: [Setting, Value][] = [];
  const warnings: string[] = [];
  for (const setting of SETTINGS.filter(({ key }) => OFFERED.includes(key))) {
    const given = raw(setting);
    if (given === undefined || given === '') continue;
    const value = valueOf(setting, given);
    if (value !== undefined) options.push([setting, value]);
    else warnings.push(`the plugin's option "${setting.key}" must be ${wantedBy(setting)}; it is ignored`);
  }
  return { options, warnings };
}

function told(env: Env): PluginOptions {
  return collect(
    ({ key }) => env[`CLAUDE_PLUGIN_OPTION_${key.toUpperCase()}`],
    (setting, raw) => valueFromText(setting, String(raw)),
  );
}

/** The options in force: as the host says where it does, else as it said last. Never throws. */
export function pluginOptions({ env, home }: Places): PluginOptions {
  if (isOurHook(env)) return told(env);
  const file: ConfigFile = readConfigFile(optionsFile(home));
  // A broken file is written anew by the next session.
  return file.state === 'read' ? collect(({ key }) => file.entries[key], fitting) : { options: [], warnings: [] };
}

/** Keeps what the host says in a hook of ours, for those it does not tell; does nothing elsewhere. Throws what the file system throws. */
export function keepPluginOptions({ env, home }: Places): void {
  if (!isOurHook(env)) return;
  const path = optionsFile(home);
  const wanted = Object.fromEntries(told(env).options.map(([{ key }, value]) => [key, value]));
  const file = readConfigFile(path);
  const kept = file.state === 'read' ? file.entries : {};
  if (file.state !== 'broken' && JSON.stringify(kept) === JSON.stringify(wanted)) return;
  if (Object.keys(wanted).length === 0) return rmSync(path, { force: true });
  ensurePrivateDir(home);
  writePrivateFile(path, `${JSON.stringify(wanted)}\n`);
}
