/**
 * What a caller hands over from step to step, checked where it comes in: it may have been stored and damaged, be another
 * version's, or hold what a provider forgot to count. What is no count counts as not given, and everything is estimated. Pure.
 */
import { ChittaError } from '../errors.ts';
import { isObject } from '../messages/parts.ts';
import type { Measured, PlanMemory, PlanState } from './state.ts';

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isWhole(value: unknown): value is number {
  return isCount(value) && Number.isInteger(value);
}

function isMeasured(value: unknown): value is Measured {
  return isObject(value) && isCount(value['tokens']) && isWhole(value['messages']);
}

function isRate(value: unknown): boolean {
  return isObject(value) && isCount(value['counted']) && isCount(value['estimated']);
}

function isAsked(value: unknown): boolean {
  return isObject(value) && isCount(value['size']) && isCount(value['estimated']) && isWhole(value['messages']);
}

/** What each part of a memory is, if it is there. */
const PARTS: Readonly<Record<keyof PlanMemory, (value: unknown) => boolean>> = {
  growth: isCount,
  seen: isWhole,
  told: (value) => Array.isArray(value) && value.every((code) => typeof code === 'string'),
  asked: isAsked,
  floor: isCount,
  failed: isWhole,
  wait: isWhole,
  rate: isRate,
  last: isMeasured,
  own: isMeasured,
};
const NEEDED: readonly (keyof PlanMemory)[] = ['growth', 'seen', 'told'];

function isMemory(value: unknown): value is PlanMemory {
  if (!isObject(value) || NEEDED.some((name) => value[name] === undefined)) return false;
  return Object.entries(PARTS).every(([name, fits]) => value[name] === undefined || fits(value[name]));
}

/** The state without what is no count and no memory. Throws E_PARAM_INVALID for what would go unnoticed: no list, no base. */
export function checkedState(state: PlanState | null | undefined): PlanState {
  // Callers without types may pass anything.
  const { messages, baseTokens, measured, memory }: Readonly<Record<string, unknown>> = isObject(state) ? state : {};
  if (!Array.isArray(messages)) {
    throw new ChittaError('E_PARAM_INVALID', 'state.messages is missing, or no list', { field: 'messages' });
  }
  if ((baseTokens ?? undefined) !== undefined && !isCount(baseTokens)) {
    throw new ChittaError('E_PARAM_INVALID', `baseTokens is ${String(baseTokens)}, not a number of tokens`, {
      field: 'baseTokens',
    });
  }
  return {
    ...state,
    // Messages are checked one by one where they are looked at.
    messages,
    baseTokens: isCount(baseTokens) ? baseTokens : undefined,
    measured: isMeasured(measured) ? measured : undefined,
    memory: isMemory(memory) ? memory : undefined,
  };
}
