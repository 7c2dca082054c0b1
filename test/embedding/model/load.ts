/** Whether the real model can be tried on this machine; if not, why, for the name of the skipped tests. */
import { probeLlama } from '../../../src/platform/native.ts';

const probe = probeLlama();

export const whyNot: string | undefined = probe.state === 'ok' ? undefined : probe.reason;

/** Goes behind the name of a group of tests. */
export const note: string = whyNot === undefined ? '' : ` (skipped: ${whyNot})`;
