/** What is declared of a model for planning: its window, and how compaction treats it. One table for files, commands and callers. */
import { ChittaError } from '../errors.ts';

/** What a caller or a settings file says of one model; what is missing has its default. */
export interface ModelConfig {
  /** Tokens that a request and its answer may hold together. Undeclared: nothing is compacted on its own. */
  readonly contextWindow?: number | undefined;
  /** Compact when the window fills up. Default true. */
  readonly auto?: boolean | undefined;
  /** Tokens kept free for the answer; capped at a quarter of the window. Default 8,192. */
  readonly reserved?: number | undefined;
  /** Newest turns that stay as they are. Default 2. */
  readonly tailTurns?: number | undefined;
  /** Let go of old tool results before anything is summarised. Default true. */
  readonly prune?: boolean | undefined;
  /** Model that writes summaries in place of this one. */
  readonly smallModel?: string | undefined;
}

/** The same with its defaults. */
export interface ResolvedModel {
  readonly contextWindow: number | undefined;
  readonly auto: boolean;
  readonly reserved: number;
  readonly tailTurns: number;
  readonly prune: boolean;
  readonly smallModel: string | undefined;
}

interface Described {
  readonly name: keyof ModelConfig;
  /** The name in files and on the command line. */
  readonly key: string;
  readonly unit: string;
  readonly doc: string;
}

/** One thing that can be said of a model. */
export type ModelField = Described &
  (
    | { readonly type: 'integer'; readonly min: number; readonly max: number; readonly default: number | undefined }
    | { readonly type: 'boolean'; readonly default: boolean }
    | { readonly type: 'name'; readonly default: undefined }
  );

/** Everything that can be said of a model. */
export const MODEL_FIELDS: readonly ModelField[] = [
  {
    name: 'contextWindow',
    key: 'context_window',
    type: 'integer',
    min: 1_000,
    max: 100_000_000,
    default: undefined,
    unit: 'tokens',
    doc: 'What a request and its answer may hold together; without it nothing is compacted on its own.',
  },
  {
    name: 'auto',
    key: 'auto',
    type: 'boolean',
    default: true,
    unit: '',
    doc: 'Compact when the window fills up; a compaction that is asked for works anyway.',
  },
  {
    name: 'reserved',
    key: 'reserved',
    type: 'integer',
    min: 0,
    max: 10_000_000,
    default: 8_192,
    unit: 'tokens',
    doc: 'What is kept free for the answer; at most a quarter of the window counts.',
  },
  {
    name: 'tailTurns',
    key: 'tail_turns',
    type: 'integer',
    min: 0,
    max: 1_000,
    default: 2,
    unit: 'turns',
    doc: 'How many of the newest turns stay as they are.',
  },
  {
    name: 'prune',
    key: 'prune',
    type: 'boolean',
    default: true,
    unit: '',
    doc: 'Let go of old tool results before anything is summarised.',
  },
  {
    name: 'smallModel',
    key: 'small_model',
    type: 'name',
    default: undefined,
    unit: '',
    doc: 'The model that writes summaries in place of this one.',
  },
];

/** A model's name: printable and in one piece, as providers write them (`llama3.1:8b`, `org/model`). */
const NAME = /^[!-~]{1,128}$/;

/** Whether a text can be the name of a model. */
export function isModelName(text: string): boolean {
  return NAME.test(text);
}

/** What a field wants, for a message: `a whole number from 0 to 1000`. */
export function wantedByField(field: ModelField): string {
  if (field.type === 'boolean') return 'true or false';
  if (field.type === 'name') return 'the name of a model';
  return `a whole number from ${field.min} to ${field.max}`;
}

/** The value if the field can have it, else undefined. */
export function fittingField(field: ModelField, value: unknown): number | boolean | string | undefined {
  if (field.type === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (field.type === 'name') return typeof value === 'string' && isModelName(value) ? value : undefined;
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  return value >= field.min && value <= field.max ? value : undefined;
}

/** What is declared, complete. Throws E_CONFIG_INVALID naming the field that does not fit. */
export function resolveModel(config: ModelConfig): ResolvedModel {
  const values = MODEL_FIELDS.map((field): [string, unknown] => {
    const given: unknown = config[field.name];
    if (given === undefined) return [field.name, field.default];
    const value = fittingField(field, given);
    if (value !== undefined) return [field.name, value];
    throw new ChittaError('E_CONFIG_INVALID', `${field.name} must be ${wantedByField(field)}`, { field: field.name });
  });
  // The table holds every name of ResolvedModel with a default of its type (a test compares), and only fitting values replace one.
  return Object.fromEntries(values) as unknown as ResolvedModel;
}
