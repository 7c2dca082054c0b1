/**
 * Every setting, once. docs/configuration.md, `chitta config` and `chitta doctor` are made from this table.
 * A project's own file comes with the checkout and is not trusted: `project` says the one direction in which it may move a setting.
 */

/** All settings, complete and frozen; what the rest of the program sees. */
export interface Settings {
  /** Share of the tokens that compaction keeps, 0.05–1. */
  readonly targetRatio: number;
  /** Messages of the live context that hooks and commands look at. */
  readonly lastTurns: number;
  /** Bytes read from the end of a transcript, at most. */
  readonly maxReadBytes: number;
  /** Hooks and background work do nothing. */
  readonly disabled: boolean;
  /** Nothing of a session is stored: no turn, no compaction, no vector, no count. */
  readonly private: boolean;
}

type NamesOf<T> = { [Name in keyof Settings]: Settings[Name] extends T ? Name : never }[keyof Settings];

interface Described {
  /** The name in files and on the command line. */
  readonly key: string;
  /** What the number counts, or nothing. */
  readonly unit: string;
  /** One line for people. */
  readonly doc: string;
}

export interface NumberSetting extends Described {
  readonly name: NamesOf<number>;
  readonly type: 'number' | 'integer';
  readonly min: number;
  readonly max: number;
  readonly default: number;
  readonly project: 'may-lower';
}

export interface SwitchSetting extends Described {
  readonly name: NamesOf<boolean>;
  readonly type: 'boolean';
  readonly default: boolean;
  readonly project: 'may-set-true';
}

export type Setting = NumberSetting | SwitchSetting;

export const SETTINGS: readonly Setting[] = [
  {
    key: 'target_ratio',
    name: 'targetRatio',
    type: 'number',
    min: 0.05,
    max: 1,
    unit: 'share of tokens',
    default: 0.4,
    doc: 'How much of the context compaction keeps.',
    project: 'may-lower',
  },
  {
    key: 'last_turns',
    name: 'lastTurns',
    type: 'integer',
    min: 1,
    max: 100_000,
    unit: 'messages',
    default: 60,
    doc: 'How many of the newest user and assistant messages are looked at.',
    project: 'may-lower',
  },
  {
    key: 'max_read_bytes',
    name: 'maxReadBytes',
    type: 'integer',
    min: 65_536,
    max: 1_073_741_824,
    unit: 'bytes',
    default: 33_554_432,
    doc: 'How much of a transcript is read, from its end, to find those messages.',
    project: 'may-lower',
  },
  {
    key: 'disabled',
    name: 'disabled',
    type: 'boolean',
    unit: '',
    default: false,
    doc: 'Switches the hooks off; commands that you type still work.',
    project: 'may-set-true',
  },
  {
    key: 'private',
    name: 'private',
    type: 'boolean',
    unit: '',
    default: false,
    doc: 'Hooks store nothing of the session; they still read, and give back what is stored.',
    project: 'may-set-true',
  },
];

/** The setting of that key, if there is one. */
export function settingOf(key: string): Setting | undefined {
  return SETTINGS.find((setting) => setting.key === key);
}
