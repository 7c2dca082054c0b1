/**
 * Tokens of a message, calibrated: the sum over a transcript is near the truth, not above it.
 *
 * The published rule is words × 1.3. It holds for plain English prose and for little else an agent reads: it sees half of
 * a source file, a quarter of a line of JSON and nothing of a base64 run. So words, signs, digits and scripts are weighed
 * one by one (`costs.ts`).
 */
import { inputText } from '../messages/search-text.ts';
import type { Message, MessageView } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import { USUAL, weigh } from './costs.ts';

/** An image as large as a model looks at it: 1.2 megapixels at 750 pixels per token (Anthropic, vision guide). */
const IMAGE_TOKENS = 1600;

// Framing around the content: role, block type, ids. The charges the retention benchmark uses.
const MESSAGE_FRAME = 4;
const TEXT_FRAME = 1;
const CALL_FRAME = 10;
const RESULT_FRAME = 8;

/**
 * Tokens of one message, estimated: a whole number > 0, images and documents a flat `IMAGE_TOKENS` each.
 *
 * Both wire shapes of a message cost the same. Bias within 10 % per transcript (bench/tokens). Linear; never throws.
 */
export function estimateMessageTokens(message: Message): number {
  return estimateViewTokens(viewOf(message));
}

/** The same of a message that has been read already. */
export function estimateViewTokens(view: MessageView): number {
  let tokens = MESSAGE_FRAME + view.mediaCount * IMAGE_TOKENS;
  for (const text of [view.text, view.thinking, view.otherJson]) {
    if (text !== '') tokens += TEXT_FRAME + weigh(text, USUAL);
  }
  for (const call of view.calls) tokens += CALL_FRAME + weigh(call.name, USUAL) + weigh(inputText(call.input), USUAL);
  for (const result of view.results) tokens += RESULT_FRAME + weigh(result.text, USUAL);
  return Math.round(tokens);
}
