/** All connections: how many, how long they may be still, how much is held for them. None can take the place of all others. */
import type { Socket } from 'node:net';
import type { Hello } from '../protocol/frames.ts';
import { Peer, type PeerEvents } from './peer.ts';

const MAX_CONNECTIONS = 256;
/** Bytes held for all clients together: lines that are not complete, requests at work. */
const MAX_HELD_BYTES = 64 * 1_048_576;

export interface PeerLimits {
  /** A connection on which nothing was asked yet. */
  readonly firstRequestMs: number;
  /** A connection with nothing to do. */
  readonly stillMs: number;
}

export const PEER_LIMITS: PeerLimits = { firstRequestMs: 10_000, stillMs: 60_000 };

export class Peers {
  readonly #peers = new Set<Peer>();
  readonly #answer: PeerEvents['answer'];
  readonly #limits: PeerLimits;

  constructor(answer: PeerEvents['answer'], limits: PeerLimits) {
    this.#answer = answer;
    this.#limits = limits;
  }

  get count(): number {
    return this.#peers.size;
  }

  get inFlight(): number {
    let count = 0;
    for (const peer of this.#peers) count += peer.inFlight;
    return count;
  }

  /** Takes a connection in; the one that has been still for the longest makes room where there is none. */
  add(socket: Socket, hello: Hello): void {
    if (this.#peers.size >= MAX_CONNECTIONS) this.#stillest()?.close();
    const peer = new Peer(socket, hello, {
      answer: this.#answer,
      hasRoom: (bytes) => this.#heldBytes + bytes <= MAX_HELD_BYTES,
      onClose: (one) => this.#peers.delete(one),
    });
    this.#peers.add(peer);
  }

  /** Lets go of connections that nobody uses. */
  sweep(): void {
    for (const peer of this.#peers) {
      const mostMs = peer.hasAsked ? this.#limits.stillMs : this.#limits.firstRequestMs;
      if (peer.inFlight === 0 && peer.stillMs > mostMs) peer.close();
    }
  }

  /** Ends all: those that have been answered politely, the others at once. */
  close(): void {
    for (const peer of this.#peers) {
      if (peer.inFlight === 0) peer.end();
      else peer.close();
    }
  }

  destroy(): void {
    for (const peer of this.#peers) peer.close();
  }

  get #heldBytes(): number {
    let bytes = 0;
    for (const peer of this.#peers) bytes += peer.heldBytes;
    return bytes;
  }

  #stillest(): Peer | undefined {
    let stillest: Peer | undefined;
    for (const peer of this.#peers) {
      if (peer.inFlight === 0 && (!stillest || peer.stillMs > stillest.stillMs)) stillest = peer;
    }
    return stillest;
  }
}
