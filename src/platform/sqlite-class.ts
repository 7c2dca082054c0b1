/** The class of better-sqlite3 and its version. It is built into chitta; what it needs besides is a build of SQLite for this Node. */
import manifest from 'better-sqlite3/package.json' with { type: 'json' };

export { default as Sqlite } from 'better-sqlite3';
export const version: string = manifest.version;
