/** Claude Code as those who install a plugin see it, and what of chitta is on this machine. */

export type Scope = 'user' | 'project' | 'local';

/** chitta's plugin as Claude Code has it; one for each scope in which it is installed. */
export interface InstalledPlugin {
  /** `chitta@` and the marketplace. */
  readonly id: string;
  readonly version: string;
  readonly scope: string;
  readonly enabled: boolean;
  /** The folder that it is read from. */
  readonly folder: string | undefined;
  /** The host's own copy, of which it runs older versions; it stays when the plugin goes. */
  readonly copy: string | undefined;
  /** The project that it is installed for, in scope project or local. */
  readonly project: string | undefined;
}

export interface HostPort {
  /** Undefined: there is no `claude` on the PATH. */
  version(): Promise<string | undefined>;
  /** Rejects with E_HOST. */
  plugins(): Promise<readonly InstalledPlugin[]>;
  /** Names and folders of its marketplaces. Rejects with E_HOST. */
  marketplaces(): Promise<readonly { readonly name: string; readonly path: string | undefined }[]>;
  /** Runs `claude plugin …`. Rejects with E_HOST and what it said. */
  plugin(...argv: readonly string[]): Promise<void>;
}

export interface PluginFiles {
  /** Where `copy` puts them; a marketplace. */
  readonly folder: string;
  readonly version: string;
  /** Copies what a plugin needs of this package; true if something changed. */
  copy(): boolean;
  /** Removes the host's copies of plugins that it no longer has. Answers what was removed. */
  removeCached(plugins: readonly InstalledPlugin[]): readonly string[];
  /** Removes chitta's own files, with `purge` the database too. Answers what was removed and what was left. */
  removeOwn(purge: boolean): { readonly removed: readonly string[]; readonly kept: readonly string[] };
}
