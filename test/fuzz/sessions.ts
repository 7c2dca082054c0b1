/** Arbitrary sessions of an agent with files of many lines, so that there is something to take excerpts of. */
import fc from 'fast-check';
import type { Message } from '../../src/messages/types.ts';
import { anyText } from './transcripts.ts';

const name = fc
  .tuple(fc.constantFrom('readColumn', 'user_id', 'parse', 'MAX_ROWS', 'src/app', 'port'), fc.nat(30))
  .map(([stem, n]) => `${stem}${n}`);
const line = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(name, name).map(([a, b]) => `const ${a} = ${b}(42, "${b}");`) },
  { weight: 3, arbitrary: fc.constantFrom('', '}', '// some plain words in a row', '\t', '     7→let x = 1;', 'x\r') },
  { weight: 1, arbitrary: anyText },
  // Longer than what is cut into pieces.
  { weight: 1, arbitrary: fc.tuple(name, fc.integer({ min: 100, max: 700 })).map(([a, n]) => `${a} `.repeat(n)) },
);
const file = fc.array(line, { minLength: 1, maxLength: 50, size: 'max' }).map((lines) => lines.join('\n'));

interface Step {
  readonly kind: 'prompt' | 'say' | 'read' | 'edit';
  readonly name: string;
  readonly body: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Step['kind'][]>('prompt', 'say', 'read', 'read', 'edit'),
  name,
  body: file,
});

function call(step: Step): { name: string; input: Record<string, unknown>; answer: string } {
  const path = `${step.name}.ts`;
  if (step.kind === 'read') return { name: 'Read', input: { file_path: path }, answer: step.body };
  return {
    name: 'Edit',
    input: { file_path: path, old_string: step.name, new_string: step.body },
    answer: 'The file was updated.',
  };
}

function anthropic(one: Step, at: number): Message[] {
  if (one.kind === 'prompt') return [{ role: 'user', content: one.body }];
  if (one.kind === 'say') return [{ role: 'assistant', content: [{ type: 'text', text: one.body }] }];
  const { name: tool, input, answer } = call(one);
  return [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: `Now ${one.name}.` },
        { type: 'tool_use', id: `t${at}`, name: tool, input },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${at}`, content: answer }] },
  ];
}

function openAi(one: Step, at: number): Message[] {
  if (one.kind === 'prompt') return [{ role: 'user', content: one.body }];
  if (one.kind === 'say') return [{ role: 'assistant', content: one.body }];
  const { name: tool, input, answer } = call(one);
  const made = { id: `t${at}`, type: 'function', function: { name: tool, arguments: JSON.stringify(input) } };
  return [
    { role: 'assistant', content: null, tool_calls: [made] },
    { role: 'tool', tool_call_id: `t${at}`, content: answer },
  ];
}

/** Sessions of either shape; every call is answered. */
export const session: fc.Arbitrary<Message[]> = fc
  .tuple(fc.array(step, { minLength: 1, maxLength: 14 }), fc.constantFrom(anthropic, openAi))
  .map(([steps, shape]) => steps.flatMap(shape));
