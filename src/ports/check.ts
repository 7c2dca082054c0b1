/** What `chitta doctor` is made of. Any adapter may offer a probe; one probe may answer with several checks. */

/** One thing that was looked at. `fix` is what to do about it, one line, and only there if something is to be done. */
export interface Check {
  readonly name: string;
  /** `warn`: works, but with less than it could; `fail`: something that you would expect does not work. */
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly fix?: string;
}

/** Looks at one thing. May throw: that is a failed check of that name. */
export interface Probe {
  readonly name: string;
  readonly run: () => readonly Check[] | Promise<readonly Check[]>;
}
