/**
 * Text from elsewhere, made fit for a terminal: it can neither move the cursor, nor set the title, nor reverse what is read.
 * Linear: every pattern starts at an escape or C1 character and cannot run past the next one.
 */

/** Strings for the terminal itself (title, links, images: OSC, DCS, SOS, PM, APC) with their end; colour and cursor (CSI); the short ones. */
const ESCAPES: RegExp =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0080-\u009f\n]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;

/** What is left of control characters, except tab and line feed; and the bidirectional ones. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROLS: RegExp = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text without escape sequences, control and bidirectional characters. Line feeds and tabs stay; CR LF becomes LF. */
export function sanitize(text: string): string {
  return text.replace(ESCAPES, '').replace(CONTROLS, '');
}

/** The same as one line: every run of white space is one space. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/\s+/g, ' ');
}
