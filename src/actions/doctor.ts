/** Runs the probes of an installation and counts what they found. What is looked at, and how, is the adapters' business. */

import type { Check, Probe } from '../ports/check.ts';

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
