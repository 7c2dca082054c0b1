/** A git repository on loopback, by git's own server program: the host takes no path where it wants a repository. */
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';

const HEAD_END = '\r\n\r\n';

function answer(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const header = (name: string): string => String(request.headers[name] ?? '');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: header('content-type'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_PROTOCOL: header('git-protocol'),
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const bytes = Buffer.concat(chunks);
    const end = bytes.indexOf(HEAD_END);
    const fields = bytes
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(': '));
    for (const [name = '', value = ''] of fields) {
      if (name === 'Status') response.statusCode = Number(value.slice(0, 3));
      else response.setHeader(name, value);
    }
    response.end(bytes.subarray(end + HEAD_END.length));
  });
}

/** Makes a repository of a folder, in place, its files on a branch `release` and nothing on its main one, and serves it; answers the address of that branch. */
export async function serveRepository(folder: string): Promise<string> {
  const who = ['-c', 'user.name=e2e', '-c', 'user.email=e2e@localhost'];
  const git = (...argv: readonly string[]): unknown => execa('git', [...who, ...argv], { cwd: folder });
  await git('init', '--quiet', '--initial-branch=main');
  await git('commit', '--quiet', '--allow-empty', '--message', 'The sources');
  await git('checkout', '--quiet', '-b', 'release');
  await git('add', '--all', '--force', '.');
  await git('commit', '--quiet', '--message', 'The plugin');
  await git('symbolic-ref', 'HEAD', 'refs/heads/main');
  const server = createServer((request, response) => answer(folder, request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the repository has no port');
  return `http://127.0.0.1:${address.port}/.git#release`;
}
