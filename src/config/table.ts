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
  /** What the plugin does at a compaction: guide the summariser, or replace the summary by what survives. */
  readonly mode: 'guide' | 'replace';
  /** Tokens that mode replace keeps, at most. */
  readonly budgetTokens: number;
  /** Something may be put beside a prompt. */
  readonly recall: boolean;
  /** `chitta mcp` has tools and resources to offer. */
  readonly mcp: boolean;
  /** What a session decides, corrects and mends is made a memory when a turn ends. */
  readonly learn: boolean;
  /** Megabytes of archived text from which on the oldest turns are deleted; 0: never. */
  readonly archiveMaxMb: number;
  /** Days after which turns are deleted; 0: never. */
  readonly archiveMaxDays: number;
  /** `chitta summarize --auto` may ask a language model. */
  readonly autoSummarize: boolean;
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
  readonly project: 'may-lower' | 'may-not';
}

export interface SwitchSetting extends Described {
  readonly name: NamesOf<boolean>;
  readonly type: 'boolean';
  readonly default: boolean;
  readonly project: 'may-set-true' | 'may-set-false';
}

export interface ChoiceSetting extends Described {
  readonly name: NamesOf<string>;
  readonly type: 'choice';
  readonly choices: readonly string[];
  readonly default: string;
  readonly project: 'may-not';
}

export type Setting = NumberSetting | SwitchSetting | ChoiceSetting;

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
  {
    key: 'mode',
    name: 'mode',
    type: 'choice',
    choices: ['guide', 'replace'],
    unit: '',
    default: 'guide',
    doc: 'What the plugin does at a compaction: guide the summary, or replace it (Claude Code 2.1.287 and newer).',
    project: 'may-not',
  },
  {
    key: 'budget_tokens',
    name: 'budgetTokens',
    type: 'integer',
    min: 1_000,
    max: 10_000_000,
    unit: 'tokens',
    default: 80_000,
    doc: 'In mode replace, what survives is no larger than this, whatever target_ratio says.',
    project: 'may-lower',
  },
  {
    key: 'recall',
    name: 'recall',
    type: 'boolean',
    unit: '',
    default: true,
    doc: 'Hooks put what is known of the names in a prompt beside it.',
    project: 'may-set-false',
  },
  {
    key: 'mcp',
    name: 'mcp',
    type: 'boolean',
    unit: '',
    default: true,
    doc: 'The MCP server, which the plugin starts with each session, offers its tools.',
    project: 'may-set-false',
  },
  {
    key: 'learn',
    name: 'learn',
    type: 'boolean',
    unit: '',
    default: true,
    doc: 'Decisions, corrections, rules, settings and fixes of a session become memories.',
    project: 'may-set-false',
  },
  {
    key: 'archive_max_mb',
    name: 'archiveMaxMb',
    type: 'integer',
    min: 0,
    max: 1_000_000,
    unit: 'MB',
    default: 0,
    doc: 'Beyond so much text the oldest archived turns are deleted; 0: never.',
    project: 'may-not',
  },
  {
    key: 'archive_max_days',
    name: 'archiveMaxDays',
    type: 'integer',
    min: 0,
    max: 100_000,
    unit: 'days',
    default: 0,
    doc: 'Archived turns that are older are deleted; 0: never.',
    project: 'may-not',
  },
  {
    key: 'auto_summarize',
    name: 'autoSummarize',
    type: 'boolean',
    unit: '',
    default: false,
    doc: 'A language model summarises a context that is nearly full, where a front end asks after each turn.',
    project: 'may-set-false',
  },
];

/** The keys of a settings file that are no settings but tables, read by those who need them (`models.ts`, `trackers.ts`). */
export const MODELS_KEY = 'models';
export const TICKETS_KEY = 'tickets';

/** The setting of that key, if there is one. */
export function settingOf(key: string): Setting | undefined {
  return SETTINGS.find((setting) => setting.key === key);
}
