/** What a server is given, and how its life may end. */
import type { Embedding, Memories, ReadTexts } from './parts.ts';
import type { PeerLimits } from './peers.ts';
import type { Endpoint } from './places.ts';

export interface ServerOptions {
  readonly endpoint: Endpoint;
  /** chitta's own version. */
  readonly build: string;
  readonly embedding: Embedding;
  /** undefined: there is no database; nothing is covered or recalled. */
  readonly memories: Memories | undefined;
  readonly readTexts: ReadTexts;
  /** A transcript to follow from the beginning; it need not be there yet. */
  readonly follow?: string | undefined;
  readonly log: (line: string) => void;
  /** Without a request or work for so long, it ends. */
  readonly idleMs: number;
  /** An embedding call that takes longer never comes back. */
  readonly stuckAfterMs?: number;
  /** How often followed transcripts are looked at. */
  readonly followEveryMs?: number;
  /** How often it is looked for archived turns that want vectors, when the last look found none. */
  readonly fillTurnsEveryMs?: number;
  readonly peerLimits?: PeerLimits;
  /** Called when the daemon is ready to embed. */
  readonly onReady?: () => void;
  /** Ends it from outside, as a signal does. */
  readonly signal?: AbortSignal;
}

/** How it went. `busy`: another daemon is there already; `impossible`: it could not begin; `failed`: no usable model, or it hung. */
export type Ended =
  | { readonly state: 'ended' | 'busy' }
  | { readonly state: 'impossible' | 'failed'; readonly reason: string };
