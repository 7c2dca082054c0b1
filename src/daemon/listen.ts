/**
 * The socket: bound under another name and renamed, so that whoever finds it finds someone who answers. Only whoever holds the
 * lock renames and removes.
 */
import { chmodSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { breathe } from './parts.ts';
import type { Endpoint } from './places.ts';

/** Instead of `.sock`, and shorter, so that it fits where that fits. Whoever holds the lock is alone with this name. */
const TEMPORARY = '.new';

/** Connections that may wait to be taken; the system may allow fewer. With a full queue a client is told at once that nobody is there. */
const BACKLOG = 1_024;

export interface Listener {
  /** Whether clients that look for the daemon find this one. */
  isOurs(): boolean;
  /** Removes the socket if it is still this server's; at once. */
  hide(): void;
  /** Takes no connections any more; those that were waiting are taken first. */
  close(): Promise<void>;
}

function identityOf(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat && `${stat.dev} ${stat.ino}`;
}

/** Listens at the endpoint. The lock is held. Rejects with what the system says. */
export async function listen(endpoint: Endpoint, onConnection: (socket: Socket) => void): Promise<Listener> {
  const { folder, name, socket } = endpoint;
  const temporary = join(folder, `${name}${TEMPORARY}`);
  // Left by a server that died between binding and renaming.
  rmSync(temporary, { force: true });
  const server: Server = createServer(onConnection);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path: temporary, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // Accepting can fail (no descriptors left); the next connection may fare better.
  server.on('error', () => undefined);
  chmodSync(temporary, 0o600);
  const identity = identityOf(temporary);
  renameSync(temporary, socket);
  const isOurs = (): boolean => identity !== undefined && identityOf(socket) === identity;
  return {
    isOurs,
    hide: () => {
      if (isOurs()) rmSync(socket, { force: true });
    },
    close: async () => {
      await breathe();
      await breathe();
      server.close();
    },
  };
}
