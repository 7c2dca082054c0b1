/** What names and values have in common wherever they stand. */

/** Longest name, separator or look around that is taken into account. */
export const MAX_NAME = 64;
/** A value is judged by its beginning. */
export const JUDGED = 256;
/**
 * Between name and value: closing quote or bracket, spaces, one of `=` `:` `:=` `=>` `==`, spaces; also the mark of a YAML block, or a
 * bracket, and a line end (which may have become a space) before a value in quotes.
 */
export const SEPARATOR: RegExp =
  /^(?:\\{0,3}["'`])?\]?[ \t]{0,8}(:=|=>|==?|:)[ \t]{0,8}(?:Optional\[str\] = )?(?:[|>][+-]?(?:\n|\\{1,3}n| )[ \t]{0,16}|\(?(?:\n|\\{1,3}n)?[ \t]{0,16}(?=\\{0,3}["'`]))?/;
/** Between the items of a list: `["x-api-key", "…"]`. */
export const NEXT_ITEM: RegExp = /^\\{0,3}["'], ?(?=\\{0,3}["'])/;
/** In lists of variables: `{"name": "DB_PASSWORD", "value": "…"}`, `- name: DB_PASSWORD` over `value: …`. */
export const NEXT_FIELD: RegExp =
  /^(?:\\{0,3}["'])?,?(?:\s|\\{1,3}n){0,24}(?:\\{0,3}["'])?value(?:\\{0,3}["'])?\s{0,4}[:=]\s{0,4}/i;
/** Before a name whose value follows after a space: SQL, netrc, Dockerfiles, settings of command line programs. */
export const SPACED: RegExp =
  /(?:\b(with|identified by|user \S{1,40})|\b(login \S{1,40})|(?:\b|\\[nr])(env|setx)|\b(configure set|config(?: set)?(?: --global)?)) $/i;
