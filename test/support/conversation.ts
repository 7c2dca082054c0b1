/** Arbitrary conversations in both wire shapes: prompts, parallel tool calls, images, thinking, orphans, odd ids. */
import fc from 'fast-check';
import type { Block, Message } from '../../src/messages/types.ts';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
}

interface Step {
  readonly kind: 'prompt' | 'say' | 'tools' | 'system' | 'echo';
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly argument: string; readonly answer: string }[];
  /** Answers left out, so that a call stays an orphan; only by generators that ask for it. */
  readonly unanswered: boolean;
  readonly reusedId: boolean;
  readonly media: boolean;
}

const words = fc
  .array(fc.constantFrom('port', 'config', 'the', 'src/app.ts', 'fails', '42', 'naïve', '漢字', '🙂'), {
    minLength: 1,
    maxLength: 60,
  })
  .map((list) => list.join(' '));
const text = fc.oneof(
  { weight: 4, arbitrary: words },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

function stepArbitrary(withOrphans: boolean): fc.Arbitrary<Step> {
  return fc.record({
    kind: fc.constantFrom<Step['kind'][]>('prompt', 'say', 'say', 'tools', 'tools', 'tools', 'system', 'echo'),
    text,
    calls: fc.array(fc.record({ name: fc.constantFrom('Read', 'Bash', 'Edit'), argument: text, answer: text }), {
      minLength: 1,
      maxLength: 3,
    }),
    unanswered: withOrphans ? fc.boolean() : fc.constant(false),
    reusedId: fc.boolean(),
    media: fc.boolean(),
  });
}

function idOf(step: Step, position: number, index: number): string {
  return step.reusedId ? `call_${index}` : `call_${position}_${index}`;
}

function callsOf(step: Step, position: number): Call[] {
  return step.calls.map(({ name, argument }, index) => ({
    id: idOf(step, position, index),
    name,
    input: { argument },
  }));
}

const IMAGE: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };

function anthropic(step: Step, position: number): Message[] {
  switch (step.kind) {
    case 'system':
      return [{ role: 'system', content: step.text }];
    case 'echo':
      return [{ role: 'user', content: `<command-name>/model</command-name>\n<command-args></command-args>` }];
    case 'prompt':
      return [{ role: 'user', content: step.media ? [IMAGE, { type: 'text', text: step.text }] : step.text }];
    case 'say':
      return [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: step.text, signature: 'c2ln' },
            { type: 'text', text: step.text },
          ],
        },
      ];
    case 'tools': {
      const calls = callsOf(step, position).map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }));
      const answers = step.calls.map(({ answer }, index) => ({
        type: 'tool_result',
        tool_use_id: idOf(step, position, index),
        content: answer,
      }));
      const call: Message = { role: 'assistant', content: calls };
      return step.unanswered ? [call] : [call, { role: 'user', content: answers }];
    }
  }
}

function openAi(step: Step, position: number): Message[] {
  switch (step.kind) {
    case 'system':
      return [{ role: 'developer', content: step.text }];
    case 'echo':
      return [{ role: 'user', content: '<local-command-stdout>done</local-command-stdout>' }];
    case 'prompt':
      return [{ role: 'user', content: [{ type: 'text', text: step.text }] }];
    case 'say':
      return [{ role: 'assistant', content: step.text }];
    case 'tools': {
      const calls = callsOf(step, position).map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      }));
      const answers = step.calls.map(({ answer }, index): Message => ({
        role: 'tool',
        tool_call_id: idOf(step, position, index),
        content: answer,
      }));
      const call: Message = { role: 'assistant', content: null, tool_calls: calls };
      return step.unanswered ? [call] : [call, ...answers];
    }
  }
}

/** Conversations of either shape whose calls are all answered. */
export function conversation(maxSteps = 30): fc.Arbitrary<Message[]> {
  return fc
    .tuple(fc.array(stepArbitrary(false), { maxLength: maxSteps }), fc.constantFrom(anthropic, openAi))
    .map(([steps, shape]) => steps.flatMap(shape));
}

/** Conversations with unanswered calls, stray answers, and messages out of order. */
export function brokenConversation(maxSteps = 30): fc.Arbitrary<Message[]> {
  return fc
    .tuple(fc.array(stepArbitrary(true), { maxLength: maxSteps }), fc.constantFrom(anthropic, openAi))
    .map(([steps, shape]) => steps.flatMap(shape))
    .chain((messages) => fc.oneof(fc.constant(messages), fc.shuffledSubarray(messages)));
}
