/** How full a context is after a turn, and whether it is time to summarise. Pure. */

/** From this share of what the window leaves for input on, the next turn may not fit. */
const CRITICAL_SHARE = 0.9;
/** Tokens kept free for the answer where the caller does not say: as the window guard does. */
const RESPONSE_TOKENS = 4_096;

export interface PressureInput {
  /** Tokens of the model's window; undefined: not declared, and then nothing is critical. */
  readonly window: number | undefined;
  /** Tokens reserved for the answer. */
  readonly responseTokens?: number | undefined;
  /** What the provider counted for the last request and its answer; goes before the estimate. */
  readonly usedTokens?: number | undefined;
  /** What the conversation is estimated to weigh. */
  readonly estimatedTokens: number;
}

export interface Pressure {
  readonly usedTokens: number;
  readonly source: 'provider' | 'estimate';
  /** Tokens from which on it is critical; undefined without a window. */
  readonly criticalTokens: number | undefined;
  readonly isCritical: boolean;
}

/** Whether a provider's count is one: some answer 0, or nothing, for what they did not count. */
export function hasCounted(usedTokens: number | undefined): usedTokens is number {
  return usedTokens !== undefined && Number.isFinite(usedTokens) && usedTokens > 0;
}

/** Compares what is used with nine tenths of the window without the response. */
export function pressureOf({
  window,
  responseTokens = RESPONSE_TOKENS,
  usedTokens,
  estimatedTokens,
}: PressureInput): Pressure {
  const isCounted = hasCounted(usedTokens);
  const used = isCounted ? usedTokens : estimatedTokens;
  const criticalTokens =
    window === undefined ? undefined : Math.max(0, Math.floor((window - responseTokens) * CRITICAL_SHARE));
  return {
    usedTokens: used,
    source: isCounted ? 'provider' : 'estimate',
    criticalTokens,
    isCritical: criticalTokens !== undefined && used >= criticalTokens,
  };
}
