/**
 * What a row is, before its content is looked at: decides which rows are decoded at all.
 * The same rules serve bytes (a line of JSONL) and values (an element of a whole JSON document).
 */
import { type Leave, scanObject, type Visit } from './scan.ts';

const QUOTE = 0x22;

export interface RowHead {
  readonly type: string | undefined;
  readonly subtype: string | undefined;
  readonly uuid: string | undefined;
  readonly sidechain: boolean;
  readonly meta: boolean;
  readonly apiError: boolean;
  readonly model: string | undefined;
  /** The role of a bare message (`{"role":…,"content":…}`), which has no row around it. */
  readonly role: string | undefined;
  readonly attachment: string | undefined;
  readonly commandMode: string | undefined;
}

export interface ScannedHead {
  readonly head: RowHead;
  /** Offset behind the object, or -1 if it does not end. */
  readonly end: number;
  readonly depth: number;
  /** Where a value stands that no message has, if it is long: what a tool printed once more, for the host's own use. */
  readonly unread: Span | undefined;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

interface Draft {
  type?: string;
  subtype?: string;
  uuid?: string;
  isSidechain?: string;
  isMeta?: string;
  isApiErrorMessage?: string;
  role?: string;
  model?: string;
  attachment?: string;
  commandMode?: string;
}

/** Path of each value that matters, and where it goes. */
const FIELDS: ReadonlyMap<string, keyof Draft> = new Map([
  ['type', 'type'],
  ['subtype', 'subtype'],
  ['uuid', 'uuid'],
  ['isSidechain', 'isSidechain'],
  ['isMeta', 'isMeta'],
  ['isApiErrorMessage', 'isApiErrorMessage'],
  ['role', 'role'],
  ['message.model', 'model'],
  ['attachment.type', 'attachment'],
  ['attachment.commandMode', 'commandMode'],
]);

/** Holds a second copy of what a tool printed, in another form; the message has the first. */
const HOST_COPY = 'toolUseResult';
/** A shorter one is decoded with the rest. */
const LEAST_UNREAD = 256;

/** No field that matters is longer; a longer value is read as unknown. */
const LONGEST_VALUE = 200;

function fieldOf(parent: string, key: string): keyof Draft | undefined {
  if (parent === '') return FIELDS.get(key);
  return parent === 'message' || parent === 'attachment' ? FIELDS.get(`${parent}.${key}`) : undefined;
}

function complete(draft: Draft): RowHead {
  return {
    type: draft.type,
    subtype: draft.subtype,
    uuid: draft.uuid === '' ? undefined : draft.uuid,
    sidechain: draft.isSidechain === 'true',
    meta: draft.isMeta === 'true',
    apiError: draft.isApiErrorMessage === 'true',
    model: draft.model,
    role: draft.role,
    attachment: draft.attachment,
    commandMode: draft.commandMode,
  };
}

/** The head of the row whose brace stands at `start`. A repeated key counts as JSON.parse counts it: the last one wins. */
export function scanHead(bytes: Buffer, start: number, limit: number): ScannedHead {
  const draft: Draft = {};
  let copyFrom = -1;
  let copyTo = -1;
  const visit: Visit = (parent, key, from, to) => {
    if (parent === '' && key === HOST_COPY) {
      copyFrom = from;
      // Of an object or a list the end is told later.
      copyTo = bytes[from] === QUOTE ? to : -1;
      return;
    }
    const field = fieldOf(parent, key);
    if (field === undefined) return;
    const first = bytes[from];
    if (first === QUOTE) {
      if (to - from <= LONGEST_VALUE) draft[field] = bytes.toString('latin1', from + 1, to - 1);
    } else if (first === 0x74) draft[field] = 'true';
    else delete draft[field];
  };
  const leave: Leave = (key, to) => {
    if (key === HOST_COPY) copyTo = to;
  };
  const { end, depth, isOdd } = scanObject(bytes, start, limit, visit, leave);
  const unread = isOdd || copyTo - copyFrom < LEAST_UNREAD ? undefined : { from: copyFrom, to: copyTo };
  return { head: complete(draft), end, depth, unread };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The head of a row that is decoded already. */
export function headOf(row: Record<string, unknown>): RowHead {
  const draft: Draft = {};
  for (const [path, field] of FIELDS) {
    const dot = path.indexOf('.');
    const owner = dot < 0 ? row : row[path.slice(0, dot)];
    const value = isObject(owner) ? owner[path.slice(dot + 1)] : undefined;
    if (typeof value === 'string') draft[field] = value;
    else if (value === true) draft[field] = 'true';
  }
  return complete(draft);
}

/** Row types counted by name when skipped; a type that is not listed counts as `unknown`. */
const SKIPPED_TYPES: ReadonlySet<string> = new Set([
  'progress',
  'attachment',
  'system',
  'summary',
  'queue-operation',
  'last-prompt',
  'mode',
  'permission-mode',
  'atis-latch',
  'cost-state',
  'tools-used',
  'custom-title',
  'ai-title',
  'agent-name',
  'file-history-snapshot',
  'file-history-delta',
  'api-request',
  'api-request-shape',
  'api-request-blob',
  'prompt_snapshot',
  'bridge-session',
  'pr-link',
]);

export type Verdict = 'message' | 'queued' | 'boundary' | { readonly skip: string };

/**
 * What to do with a row. Rules: sub-agents, meta rows, messages made up by the client and API errors are not part of the
 * conversation; a queued prompt may exist as an attachment only; anything unknown is skipped.
 */
export function verdictOf(head: RowHead, keepSidechain: boolean): Verdict {
  const { type } = head;
  if (type === 'system' && head.subtype === 'compact_boundary' && (keepSidechain || !head.sidechain)) return 'boundary';
  const bare = type === undefined && (head.role === 'user' || head.role === 'assistant');
  if (type === 'user' || type === 'assistant' || bare) {
    if (head.sidechain && !keepSidechain) return { skip: 'sidechain' };
    if (head.meta) return { skip: 'meta' };
    if (head.apiError) return { skip: 'api-error' };
    if (head.model === '<synthetic>') return { skip: 'synthetic' };
    return 'message';
  }
  // A message that was taken out of its row keeps the API's own type.
  if (type === 'message' && (head.role === 'user' || head.role === 'assistant')) return 'message';
  if (type === 'attachment' && head.attachment === 'queued_command' && (keepSidechain || !head.sidechain)) {
    if ((head.commandMode ?? 'prompt') === 'prompt' && !head.meta) return 'queued';
  }
  return { skip: type !== undefined && SKIPPED_TYPES.has(type) ? type : 'unknown' };
}
