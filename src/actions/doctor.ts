/** Runs the probes of an installation and counts what they found. What is looked at, and how, is the adapters' business. */

/** One thing that was looked at. `fix` is what to do about it, one line, and only there if something is to be done. */
export interface Check {
  readonly name: string;
  /** `warn`: works, but with less than it could; `fail`: something that you would expect does not work. */
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly fix?: string;
}

/** Looks at one thing, and may throw: that is a failed check of that name. */
export interface Probe {
  readonly name: string;
  readonly run: () => readonly Check[] | Promise<readonly Check[]>;
}

export interface DoctorReport {
  /** Nothing failed; warnings do not count. */
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

async function checksOf({ name, run }: Probe): Promise<readonly Check[]> {
  try {
    return await run();
  } catch (error) {
    return [{ name, state: 'fail', detail: error instanceof Error ? error.message : String(error) }];
  }
}

/** Runs all probes at once; the checks come in the order of the probes. Never rejects. */
export async function runDoctor(probes: readonly Probe[]): Promise<DoctorReport> {
  const checks = (await Promise.all(probes.map(checksOf))).flat();
  return { ok: checks.every(({ state }) => state !== 'fail'), checks };
}
