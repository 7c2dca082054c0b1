/** Whether a value fits a setting, and how a value is written on a command line. */
import type { Setting } from './table.ts';

/** A setting's value. */
export type Value = number | boolean | string;

/** What the setting wants, for a message: `a number from 0.05 to 1`. */
export function wantedBy(setting: Setting): string {
  if (setting.type === 'boolean') return 'true or false';
  if (setting.type === 'choice') return setting.choices.map((choice) => `"${choice}"`).join(' or ');
  return `${setting.type === 'integer' ? 'a whole number' : 'a number'} from ${setting.min} to ${setting.max}`;
}

/** The value if it has the setting's type and lies in its range, else undefined. */
export function fitting(setting: Setting, value: unknown): Value | undefined {
  if (setting.type === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (setting.type === 'choice') return setting.choices.find((choice) => choice === value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  if (setting.type === 'integer' && !Number.isInteger(value)) return undefined;
  return value >= setting.min && value <= setting.max ? value : undefined;
}

/** The value a person typed for a setting, or undefined if it does not fit. */
export function valueFromText(setting: Setting, text: string): Value | undefined {
  const word = text.trim();
  if (setting.type === 'boolean') return word === 'true' ? true : word === 'false' ? false : undefined;
  if (setting.type === 'choice') return fitting(setting, word);
  return /^-?(?:\d+\.?\d*|\.\d+)$/.test(word) ? fitting(setting, Number(word)) : undefined;
}

/** Whether a project's file may move the setting from `current` to `proposed`: only towards less. */
export function tightens(setting: Setting, current: Value, proposed: Value): boolean {
  switch (setting.project) {
    case 'may-set-true':
      return proposed === true;
    case 'may-set-false':
      return proposed === false;
    case 'may-lower':
      return proposed <= current;
    case 'may-not':
      return false;
  }
}
