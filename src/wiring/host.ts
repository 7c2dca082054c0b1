/** Joins Claude Code, the files of the plugin and the daemon to those who install and remove them. */
import type { Env } from '../platform/env.ts';
import type { HostPort, PluginFiles } from '../ports/host.ts';
import { type DaemonPlaces, daemonPort } from './daemon.ts';

export interface Host {
  readonly claude: HostPort;
  readonly files: PluginFiles;
  /** Ends the daemon and removes what it leaves; rejects if it does not end. */
  stopDaemon(): Promise<void>;
}

export async function openHost(env: Env, home: string, daemon: DaemonPlaces): Promise<Host> {
  const [{ openClaude }, { pluginFiles }, { packageRoot }] = await Promise.all([
    import('../platform/claude.ts'),
    import('../platform/plugin-files.ts'),
    import('../platform/native.ts'),
  ]);
  return {
    claude: openClaude(env, daemon.cwd),
    files: pluginFiles(packageRoot(), home),
    stopDaemon: async () => {
      const [{ stopAndWait }, { removeRemains }] = await Promise.all([
        import('../actions/daemon.ts'),
        import('../daemon/remains.ts'),
      ]);
      const port = await daemonPort(daemon);
      await stopAndWait(port);
      removeRemains(port.socket);
    },
  };
}
