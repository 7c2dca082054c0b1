/** When a model's window counts as full. Pure arithmetic, in tokens. */
import type { ResolvedModel } from './model.ts';

/** No part of what is kept free takes more of the window than this. */
const MOST_SHARE = 1 / 4;

/** The window, and what of it is kept free. */
export interface Limits {
  readonly window: number;
  /** For the answer: what is declared, at most a quarter of the window. */
  readonly reserved: number;
  /** For the next tool result: as large as the largest of this turn, at most a quarter of the window. */
  readonly growth: number;
  /** A request larger than this is compacted. */
  readonly trigger: number;
}

/** The limits in effect for a turn whose largest tool result has so many tokens; undefined where no window is declared. */
export function limitsOf({ contextWindow: window, reserved }: ResolvedModel, largestResult = 0): Limits | undefined {
  if (window === undefined) return undefined;
  const most = Math.floor(window * MOST_SHARE);
  const limits = { reserved: Math.min(reserved, most), growth: Math.min(Math.max(0, largestResult), most) };
  return { window, ...limits, trigger: window - limits.reserved - limits.growth };
}
