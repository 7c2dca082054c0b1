/** The compaction itself, in both shapes, by every strategy; and messages that are written anew. */
import fc from 'fast-check';
import { compactContext } from '../../../src/actions/compact.ts';
import { compactMessages, STRATEGIES } from '../../../src/compaction/compact.ts';
import { ChittaError } from '../../../src/errors.ts';
import { isMark, stripMarks, writeBlock, writeMark } from '../../../src/messages/marks.ts';
import { partsOf } from '../../../src/messages/parts.ts';
import { type PartChange, rewriteMessage } from '../../../src/messages/rewrite.ts';
import type { Message } from '../../../src/messages/types.ts';
import { viewOf } from '../../../src/messages/view.ts';
import { estimateMessageTokens } from '../../../src/tokens/message.ts';
import { anthropicProblems, openAiProblems } from '../../support/api-rules.ts';
import { wrongBeginnings } from '../../support/beginnings.ts';
import { brokenConversation, conversation } from '../../support/conversation.ts';
import { breachesOf, foreignLines, frozen, looseHalves } from '../../support/laws.ts';
import { anyMessage } from '../../support/messages.ts';
import { unpairedIds } from '../../support/pairs.ts';
import { anthropicRequest, openAiRequest } from '../../support/requests.ts';
import { holds, type Target } from '../target.ts';
import { session } from '../sessions.ts';
import { anyText } from '../transcripts.ts';

const odd: fc.Arbitrary<Message[]> = fc.array(
  fc.oneof(
    anyText.map((content): Message => ({ role: 'user', content })),
    anyText.map((content): Message => ({ role: 'assistant', content })),
  ),
  { maxLength: 8 },
);
/** Conversations whose texts are full of traps: marks, escapes, secrets. */
const trapped = fc
  .tuple(conversation(8), fc.array(fc.tuple(fc.nat(20), anyText), { maxLength: 6 }))
  .map(([messages, inserted]) => {
    const out = [...messages];
    for (const [at, content] of inserted)
      if (at < out.length && out[at]?.role !== 'assistant') out.splice(at, 0, { role: 'user', content });
    return out;
  });
const messagesOf = fc.oneof(conversation(10), brokenConversation(10), odd, trapped, session, session);
const options = fc.record(
  {
    targetRatio: fc.double({ min: 0.05, max: 1, noNaN: true }),
    budgetTokens: fc.integer({ min: 1, max: 800 }),
    query: anyText,
    memories: fc.array(anyText, { maxLength: 3 }),
  },
  { requiredKeys: ['targetRatio'] },
);
const rules = fc.constantFrom(
  { name: 'need', detail: 'excerpt' as const },
  { name: 'need', detail: 'whole' as const },
  { name: 'formula', detail: 'whole' as const },
);

function laws(messages: readonly Message[], rule: { name: string; detail: 'excerpt' | 'whole' }, how: object): void {
  const given = { ...how, strategy: STRATEGIES[rule.name]!, detail: rule.detail };
  const result = compactMessages(frozen(messages), given);
  const found = breachesOf(messages, result, estimateMessageTokens);
  const open = new Set(unpairedIds(messages));
  for (const id of unpairedIds(result.messages)) if (!open.has(id)) found.push(`parted: ${id}`);
  // Ids may repeat: matched in order, no half may be loose that was not before.
  const loose = looseHalves(messages);
  if (loose.length === 0) for (const half of looseHalves(result.messages)) found.push(`loose: ${half}`);
  if (JSON.stringify(compactMessages(messages, given).messages) !== JSON.stringify(result.messages))
    found.push('not deterministic');
  holds(found);
}

/** Anything as parameters: a result, or a refusal that names the field. */
async function params(value: unknown): Promise<void> {
  try {
    const { messages, stats } = await compactContext(value);
    JSON.stringify(messages);
    if (!Number.isFinite(stats.after_tokens) || stats.after_tokens < 0) throw new Error('no count');
  } catch (error) {
    if (error instanceof ChittaError && /^E_(?:PARAM|MESSAGE)_INVALID$/.test(error.code) && error.field !== undefined)
      return;
    throw error;
  }
}

const change: fc.Arbitrary<PartChange> = fc.oneof(
  fc.constantFrom<PartChange[]>('keep', 'drop'),
  fc.array(fc.option(anyText, { nil: undefined }), { maxLength: 4 }),
);

function rewritten(message: Message, changes: readonly PartChange[]): void {
  frozen(message);
  const after = rewriteMessage(message, changes);
  if (after === undefined) return;
  const found: string[] = [];
  const texts = changes.flatMap((one) => (typeof one === 'string' ? [] : one.flatMap((text) => text ?? [])));
  for (const line of foreignLines([message, { role: 'user', content: texts.join('\n') }], [after])) {
    // Texts of arguments are compared as JSON says them, which the same line in another place is not.
    if (!JSON.stringify(message).includes(JSON.stringify(line).slice(1, -1)))
      found.push(`invented ${JSON.stringify(line)}`);
  }
  if (after.role !== message.role) found.push('another role');
  partsOf(after);
  viewOf(after);
  holds(found);
}

function marks(text: string, note: string): void {
  const found: string[] = [];
  const stripped = stripMarks(text);
  if (stripMarks(stripped).length > stripped.length) found.push('stripping adds');
  if (!isMark(writeMark('gap', ['#abcdefg'], note))) found.push('a mark that is none');
  if (writeMark('stub', [], note).includes('\n')) found.push('a mark of two lines');
  for (const kind of ['guide', 'restored', 'recall', 'hot'] as const) {
    if (stripMarks(writeBlock(kind, text)) !== '') found.push(`${kind}: what it holds gets out`);
    if (stripMarks(`a\n${writeBlock(kind, text)}\nb`) !== 'a\n\nb') found.push(`${kind}: takes its surroundings`);
    const twice = `${writeBlock(kind, text)}-${writeBlock('restored', note)}-${writeBlock('hot', text)}`;
    if (stripMarks(twice) !== '--') found.push(`${kind}: runs into another`);
  }
  holds(found);
}

/** All that has to do with choosing and writing messages. */
export function compactionTargets(): Target[] {
  return [
    {
      name: 'compaction',
      share: 2,
      property: fc.property(messagesOf, rules, options, (messages, rule, how) => {
        laws(messages, rule, how);
        return true;
      }),
    },
    {
      name: 'compaction of requests',
      share: 1,
      property: fc.property(
        fc.oneof(
          fc.record({ messages: anthropicRequest, problems: fc.constant(anthropicProblems) }),
          fc.record({ messages: openAiRequest, problems: fc.constant(openAiProblems) }),
        ),
        rules,
        options,
        ({ messages, problems }, rule, how) => {
          const given = { ...how, strategy: STRATEGIES[rule.name]!, detail: rule.detail };
          const result = compactMessages(messages, given);
          const { messages: left } = result;
          // A caller goes on with a prompt.
          const found = left.length === 0 ? [] : problems([...left, { role: 'user', content: 'go on' }]);
          // Whether it had to begin with a prompt is a law of its own.
          const others = found.filter((problem) => !/first message must use the user role/.test(problem));
          holds([...others, ...wrongBeginnings(messages, result, given)]);
          return true;
        },
      ),
    },
    {
      name: 'compaction of anything',
      share: 1,
      property: fc.asyncProperty(
        fc.oneof(
          fc.record({
            messages: fc.array(
              fc.oneof({ weight: 5, arbitrary: anyMessage }, { weight: 1, arbitrary: fc.jsonValue() }),
              { maxLength: 6 },
            ),
            target_ratio: fc.constantFrom(0.05, 0.5, 1, 2),
            detail: fc.constantFrom('whole', 'excerpt'),
          }),
          fc.jsonValue(),
        ),
        async (value) => {
          await params(value);
          return true;
        },
      ),
    },
    {
      name: 'rewritten messages',
      share: 1,
      property: fc.property(anyMessage, fc.array(change, { maxLength: 6 }), (message, changes) => {
        rewritten(message, changes);
        return true;
      }),
    },
    {
      name: 'marks',
      share: 1,
      property: fc.property(
        fc
          .array(
            fc.oneof(
              anyText,
              fc.constantFrom('[chitta:hot]', '[/chitta:hot]', '[chitta:recall]', '[/chitta:guide]', '[chitta:', '\n'),
            ),
            { maxLength: 8 },
          )
          .map((list) => list.join('')),
        anyText,
        (text, note) => {
          marks(text, note);
          return true;
        },
      ),
    },
  ];
}
