/** A settings file as it is: its entries, or what is wrong with it. Nothing is judged here but its form. */
import { readSmallFile } from '../platform/small-file.ts';
import { placeOfJsonError } from './json-error.ts';

/** Settings fill a few lines; anything larger is not a settings file. */
const MAX_FILE_BYTES = 65_536;

export type ConfigFile =
  | { readonly state: 'read'; readonly entries: Readonly<Record<string, unknown>> }
  | { readonly state: 'missing' }
  | { readonly state: 'broken'; readonly problem: string };

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a settings file. Never throws; `problem` names the file and, in bad JSON, the place. An empty file holds no settings. */
export function readConfigFile(path: string): ConfigFile {
  const file = readSmallFile(path, MAX_FILE_BYTES);
  if (file.state === 'missing') return { state: 'missing' };
  if (file.state === 'unreadable') return { state: 'broken', problem: `${path} cannot be read: ${file.reason}` };
  if (file.text.trim() === '') return { state: 'read', entries: {} };
  let value: unknown;
  try {
    value = JSON.parse(file.text);
  } catch {
    return { state: 'broken', problem: `${path} is not JSON from ${placeOfJsonError(file.text)} on` };
  }
  if (!isObject(value)) return { state: 'broken', problem: `${path} must hold a JSON object, { … }` };
  return { state: 'read', entries: value };
}
