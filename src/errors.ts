/** Every error a person or a program can meet, once. docs/errors.md lists the same codes (a test compares both). */

/** 0 done, 1 failed, 2 wrong usage. Hook commands never use them: they always exit 0. */
export type ExitCode = 0 | 1 | 2;

interface Code {
  readonly exit: ExitCode;
  readonly summary: string;
}

/** All codes with their exit code and one-line summary. */
export const ERROR_CODES: {
  readonly E_USAGE: Code;
  readonly E_INPUT_MISSING: Code;
  readonly E_INPUT_EMPTY: Code;
  readonly E_INPUT_JSON: Code;
  readonly E_INPUT_FORMAT: Code;
  readonly E_MESSAGE_INVALID: Code;
  readonly E_PARAM_INVALID: Code;
  readonly E_CONFIG_INVALID: Code;
  readonly E_CONFIG_WRITE: Code;
  readonly E_NOT_FOUND: Code;
  readonly E_SWITCHED_OFF: Code;
  readonly E_STORE_BUSY: Code;
  readonly E_STORE_CORRUPT: Code;
  readonly E_STORE_VERSION: Code;
  readonly E_STORE_UNAVAILABLE: Code;
  readonly E_MODEL: Code;
  readonly E_DAEMON: Code;
  readonly E_SETUP: Code;
  readonly E_HOST: Code;
  readonly E_PROVIDER: Code;
  readonly E_SUMMARY: Code;
  readonly E_TICKETS: Code;
  readonly E_OUTPUT: Code;
  readonly E_INTERNAL: Code;
} = {
  E_USAGE: { exit: 2, summary: 'The command line could not be understood.' },
  E_INPUT_MISSING: { exit: 1, summary: 'A file or standard input that was named is not there or cannot be read.' },
  E_INPUT_EMPTY: { exit: 1, summary: 'The input holds nothing to work on.' },
  E_INPUT_JSON: { exit: 1, summary: 'The input is not valid JSON, and not a transcript either.' },
  E_INPUT_FORMAT: { exit: 1, summary: "The file is another agent's format, which chitta does not read." },
  E_MESSAGE_INVALID: { exit: 1, summary: 'A message has no usable role or content.' },
  E_PARAM_INVALID: { exit: 2, summary: 'A parameter has a wrong type or range, or is not known.' },
  E_CONFIG_INVALID: { exit: 2, summary: 'A setting has a wrong name, type or range.' },
  E_CONFIG_WRITE: { exit: 1, summary: 'The settings file could not be written.' },
  E_NOT_FOUND: { exit: 1, summary: 'Nothing goes by that handle, number or name.' },
  E_SWITCHED_OFF: { exit: 1, summary: 'chitta is switched off here, or may store nothing of this session.' },
  E_STORE_BUSY: { exit: 1, summary: 'Another process held the memory database for longer than the deadline.' },
  E_STORE_CORRUPT: { exit: 1, summary: 'The memory database is damaged.' },
  E_STORE_VERSION: { exit: 1, summary: 'The memory database was written by a newer chitta.' },
  E_STORE_UNAVAILABLE: {
    exit: 1,
    summary: 'The memory database cannot be opened: no native module, no permission, or no space.',
  },
  E_MODEL: { exit: 1, summary: 'The embedding model is missing, damaged or not usable.' },
  E_DAEMON: { exit: 1, summary: 'The daemon could not be started, stopped or kept running.' },
  E_SETUP: { exit: 1, summary: 'A native package, or the plugin’s own files, could not be put in place.' },
  E_HOST: { exit: 1, summary: 'Claude Code could not be asked, or refused.' },
  E_PROVIDER: { exit: 1, summary: 'The language model that writes summaries could not be asked, or gave no answer.' },
  E_SUMMARY: { exit: 1, summary: 'No summary was made, and nothing was changed.' },
  E_TICKETS: { exit: 1, summary: 'The issue tracker is not configured, could not be asked, or refused.' },
  E_OUTPUT: { exit: 1, summary: 'Standard output could not be written.' },
  E_INTERNAL: { exit: 1, summary: 'Something that should not happen happened; a bug in chitta.' },
};

export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * An error whose message is meant for a person.
 *
 * `message` says what and which; `hint` is the next thing to try, one line; `cause` is the error underneath.
 * `field` names the offending parameter or path (`messages[3].role`) when there is one, for JSON-RPC callers.
 */
export class ChittaError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly field: string | undefined;

  constructor(code: ErrorCode, message: string, extra: { hint?: string; field?: string; cause?: unknown } = {}) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = 'ChittaError';
    this.code = code;
    this.hint = extra.hint;
    this.field = extra.field;
  }

  get exitCode(): ExitCode {
    return ERROR_CODES[this.code].exit;
  }
}
