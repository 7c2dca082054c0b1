/** The ledger of directives: adds, changes and ends, always by a new entry. */
import { ChittaError } from '../errors.ts';
import { activeDirectives, chainOf, openProposals } from '../hot/directives.ts';
import { toWellFormed } from '../messages/wellformed.ts';
import type { Author, StoredDirective } from '../ports/ledger.ts';
import type { Forgotten } from '../ports/memories.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import { maskSecrets } from '../redact/mask.ts';

type Store = Pick<MemoryDatabase, 'addDirective' | 'directives'>;

/** Characters. A directive is in every context; what explains it belongs into a file. */
const MAX_LENGTH = 2_000;

interface Asked {
  readonly project: string;
  readonly deadlineMs: number;
  /** `person` if it is not told. */
  readonly who?: Author | undefined;
  readonly session?: string | undefined;
}

export interface DirectiveRequest extends Asked {
  readonly text: string;
  /** For every project, not only this one. */
  readonly everywhere?: boolean | undefined;
  /** The directive that this text takes the place of, by the number of any of its entries. Of a proposal: it is accepted in these words. */
  readonly amends?: number | undefined;
  /** Other directives that end where this one begins, by any of their numbers. */
  readonly supersedes?: readonly number[] | undefined;
  /** Milliseconds since 1970; null: for good; undefined: as what it amends. */
  readonly expiresMs?: number | null | undefined;
}

export interface AnswerRequest extends Asked {
  /** Of any entry about the directive. */
  readonly id: number;
}

export interface AcceptRequest extends AnswerRequest {
  /** For every project, whatever was proposed. */
  readonly everywhere?: boolean | undefined;
  readonly supersedes?: readonly number[] | undefined;
  readonly expiresMs?: number | null | undefined;
}

/** An entry that was written, or the one that says the same already. */
export interface Written {
  readonly directive: StoredDirective;
  readonly added: boolean;
}

function notFound(chain: readonly StoredDirective[], id: number): ChittaError {
  if (chain.length === 0) {
    return new ChittaError('E_NOT_FOUND', `there is no directive ${id} here`, { hint: 'chitta directives list' });
  }
  return new ChittaError('E_NOT_FOUND', `directive ${id} holds no longer`, { hint: 'chitta directives list --all' });
}

/** What entry `id` is about, as it stands: a rule that holds, or a proposal that waits. */
function standing(ledger: readonly StoredDirective[], id: number): StoredDirective {
  const chain = chainOf(ledger, id);
  const waiting = openProposals(chain);
  const found = waiting.find((one) => one.id === id) ?? activeDirectives(chain)[0] ?? waiting[0];
  if (found === undefined) throw notFound(chain, id);
  return found;
}

function holding(ledger: readonly StoredDirective[], id: number): StoredDirective {
  const chain = chainOf(ledger, id);
  const [found] = activeDirectives(chain);
  if (found !== undefined) return found;
  if (openProposals(chain).length === 0) throw notFound(chain, id);
  throw new ChittaError('E_NOT_FOUND', `directive ${id} is only proposed`, { hint: `chitta directives accept ${id}` });
}

function checked(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new ChittaError('E_PARAM_INVALID', 'the directive has no text', { field: 'text' });
  if (trimmed.length <= MAX_LENGTH) return trimmed;
  throw new ChittaError(
    'E_PARAM_INVALID',
    `the text has ${trimmed.length} characters; at most ${MAX_LENGTH} are kept`,
    {
      field: 'text',
      hint: 'say what to do in a sentence or two, and name the file that holds the rest',
    },
  );
}

/** The rule of that text in that scope, if it holds already until the same time. */
function sameIn(
  ledger: readonly StoredDirective[],
  text: string,
  { project, expiresMs }: { readonly project: string | undefined; readonly expiresMs: number | undefined },
): StoredDirective | undefined {
  const stored = maskSecrets(toWellFormed(text).text).text;
  return activeDirectives(ledger).find(
    (one) => one.text === stored && one.project === project && one.expiresMs === expiresMs,
  );
}

/**
 * Writes a directive that holds from now on, secrets masked; one of the model's only waits to be accepted. `added` is false if the
 * same text holds in the same scope already, or waits already. Rejects with E_PARAM_INVALID, E_NOT_FOUND (nothing to amend or
 * supersede), or as the store does.
 */
export async function addDirective(store: Store, request: DirectiveRequest): Promise<Written> {
  const { text, project, everywhere = false, amends, supersedes = [], expiresMs, session, deadlineMs } = request;
  const who = request.who ?? 'person';
  const wanted = checked(text);
  const ledger = await store.directives(project, deadlineMs);
  const origin = amends === undefined ? undefined : standing(ledger, amends);
  // An amendment holds where its origin does, and as long; the time of what chitta proposes is that of waiting.
  const scope = origin === undefined ? (everywhere ? undefined : project) : origin.project;
  const inherited = origin?.status === 'proposed' && origin.who === 'rule' ? undefined : origin?.expiresMs;
  const until = expiresMs === undefined ? inherited : (expiresMs ?? undefined);
  const ended = supersedes.map((id) => holding(ledger, id));
  const same = sameIn(ledger, wanted, { project: scope, expiresMs: until });
  if (same !== undefined) return { directive: same, added: false };
  const base = { text: wanted, replaces: origin?.id, project: scope, session, who, expiresMs: until };
  if (who !== 'person') {
    const stored = maskSecrets(toWellFormed(wanted).text).text;
    const waiting = openProposals(ledger).find((one) => one.text === stored && one.project === scope);
    if (waiting !== undefined) return { directive: waiting, added: false };
    return { directive: await store.addDirective({ ...base, status: 'proposed' }, deadlineMs), added: true };
  }
  const status = origin === undefined ? 'accepted' : 'amended';
  return { directive: await store.addDirective({ ...base, status }, deadlineMs, ended), added: true };
}

/**
 * Accepts a proposal: it holds from now on. `added` is false if the same text holds already; the proposal then waits no more. Rejects
 * with E_NOT_FOUND if nothing waits under that number, or as the store does.
 */
export async function acceptDirective(store: Store, request: AcceptRequest): Promise<Written> {
  const { id, project, everywhere = false, supersedes = [], expiresMs, session, who = 'person', deadlineMs } = request;
  const ledger = await store.directives(project, deadlineMs);
  const chain = chainOf(ledger, id);
  const waiting = openProposals(chain);
  const proposal = waiting.find((one) => one.id === id) ?? waiting[0];
  if (proposal === undefined) {
    const [active] = activeDirectives(chain);
    if (active !== undefined) return { directive: active, added: false };
    throw chain.length === 0
      ? notFound(chain, id)
      : new ChittaError('E_NOT_FOUND', `directive ${id} waits no longer`, { hint: 'chitta directives list --all' });
  }
  const ended = supersedes.map((one) => holding(ledger, one));
  const scope = everywhere ? undefined : proposal.project;
  // How long a rule of chitta's own lets a proposal wait says nothing about how long it is to hold.
  const proposed = proposal.who === 'rule' ? undefined : proposal.expiresMs;
  const until = expiresMs === undefined ? proposed : (expiresMs ?? undefined);
  const { text } = proposal;
  const same = sameIn(ledger, text, { project: scope, expiresMs: until });
  const base = { text, replaces: proposal.id, session, who };
  if (same !== undefined) {
    await store.addDirective({ ...base, status: 'revoked', project: proposal.project }, deadlineMs);
    return { directive: same, added: false };
  }
  const entry = { ...base, status: 'accepted', project: scope, expiresMs: until } as const;
  return { directive: await store.addDirective(entry, deadlineMs, ended), added: true };
}

export interface DirectiveList {
  /** Newest first. */
  readonly active: readonly StoredDirective[];
  /** Those that wait to be accepted, newest first. */
  readonly proposed: readonly StoredDirective[];
  /** Every entry, newest first. */
  readonly all: readonly StoredDirective[];
}

/** The directives of a project and those for every project. Rejects as the store does. */
export async function listDirectives(store: Store, project: string, deadlineMs: number): Promise<DirectiveList> {
  const ledger = await store.directives(project, deadlineMs);
  return { active: activeDirectives(ledger), proposed: openProposals(ledger), all: ledger.toReversed() };
}

/** Every entry about one directive, oldest first. Rejects with E_NOT_FOUND, or as the store does. */
export async function directiveHistory(
  store: Store,
  { id, project, deadlineMs }: Pick<AnswerRequest, 'id' | 'project' | 'deadlineMs'>,
): Promise<{ readonly entries: readonly StoredDirective[]; readonly active: StoredDirective | undefined }> {
  const entries = chainOf(await store.directives(project, deadlineMs), id);
  if (entries.length === 0) throw notFound(entries, id);
  return { entries, active: activeDirectives(entries)[0] };
}

/**
 * Ends a directive, or turns a proposal down, by the number of any of its entries; answers the entry that says so. Rejects with
 * E_NOT_FOUND, or as the store does.
 */
export async function revokeDirective(
  store: Store,
  { id, project, session, who = 'person', deadlineMs }: AnswerRequest,
): Promise<StoredDirective> {
  const { id: replaces, text, project: scope } = standing(await store.directives(project, deadlineMs), id);
  return store.addDirective({ text, status: 'revoked', replaces, project: scope, session, who }, deadlineMs);
}

/**
 * Takes away the text of every entry about a directive, with its bytes. That there was one stays in the ledger; it holds no longer.
 * Rejects with E_NOT_FOUND, or as the store does.
 */
export async function forgetDirective(
  store: Store & Pick<MemoryDatabase, 'forgetDirectives'>,
  { id, project, deadlineMs }: Pick<AnswerRequest, 'id' | 'project' | 'deadlineMs'>,
): Promise<Forgotten> {
  const { entries } = await directiveHistory(store, { id, project, deadlineMs });
  return store.forgetDirectives(
    entries.map((entry) => entry.id),
    deadlineMs,
  );
}
