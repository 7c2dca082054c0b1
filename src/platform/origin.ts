/** Where a repository was cloned from, as git noted it. Reads git's file and starts no process. */
import { join } from 'node:path';
import { readSmallFile } from './small-file.ts';

const MAX_GIT_CONFIG_BYTES = 262_144;

export interface Origin {
  /** In lower case; with the port of an address for the web. */
  readonly host: string;
  /** `owner/name`. */
  readonly repository: string;
}

/** Host and repository of an address as git takes it; undefined for a folder and for what has not two parts. */
export function readOrigin(address: string): Origin | undefined {
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)([^\\]+)$/.exec(address);
  let host = scp?.[1];
  let path = scp?.[2];
  if (scp === null && URL.canParse(address)) {
    const url = new URL(address);
    if (!['http:', 'https:', 'ssh:', 'git:'].includes(url.protocol)) return undefined;
    // The port of ssh says nothing about the web.
    host = url.protocol.startsWith('http') ? url.host : url.hostname;
    path = url.pathname;
  }
  const repository = path
    ?.replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  if (host === undefined || repository === undefined) return undefined;
  const isPlain = /^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(repository) && !/(?:^|\/)\.{1,2}(?:$|\/)/.test(repository);
  return isPlain ? { host: host.toLowerCase(), repository } : undefined;
}

/** The remote `origin` of the repository with that root; undefined if there is none. Never throws. */
export function originOf(root: string): Origin | undefined {
  for (const path of [join(root, '.git', 'config'), join(root, 'config')]) {
    const config = readSmallFile(path, MAX_GIT_CONFIG_BYTES);
    if (config.state !== 'read') continue;
    let isOrigin = false;
    for (const line of config.text.split(/\r?\n/)) {
      const text = line.trim();
      if (text.startsWith('[')) isOrigin = /^\[remote "origin"\]/i.test(text);
      else if (isOrigin) {
        const value = /^url\s*=\s*"?([^"\s]{1,2000})"?$/i.exec(text)?.[1];
        if (value !== undefined) return readOrigin(value);
      }
    }
  }
  return undefined;
}
