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
