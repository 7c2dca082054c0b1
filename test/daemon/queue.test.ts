import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EmbedQueue, type Ticket, type WorkKind } from '../../src/daemon/queue.ts';
import type { Prepared } from '../../src/daemon/texts.ts';

const text = (words: string): Prepared => ({ text: words, hash: createHash('sha256').update(words).digest('hex') });

/** A queue whose work ends when the test says so; what was begun, in order. */
function scripted(): {
  queue: EmbedQueue;
  begun: string[];
  finish: (words?: string) => Promise<void>;
  aborted: string[];
} {
  const begun: string[] = [];
  const aborted: string[] = [];
  const open = new Map<number, (vector: Float32Array | undefined) => void>();
  const queue = new EmbedQueue(({ text: words }, _kind, signal) => {
    const number = begun.push(words) - 1;
    return new Promise((resolve, reject) => {
      open.set(number, resolve);
      signal.addEventListener('abort', () => {
        aborted.push(words);
        open.delete(number);
        reject(new Error('aborted'));
      });
    });
  });
  queue.open();
  const finish = async (words?: string): Promise<void> => {
    const next = [...open.keys()].find((number) => words === undefined || begun[number] === words) ?? -1;
    open.get(next)?.(Float32Array.of(1));
    open.delete(next);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, begun, finish, aborted };
}

async function drained({ queue, begun, finish }: ReturnType<typeof scripted>): Promise<string[]> {
  for (let step = 0; step < 1_000 && !queue.isIdle; step++) await finish();
  return begun;
}

test('the most urgent kind first, whatever came first', async () => {
  const script = scripted();
  script.queue.want(text('at work 1'), 'score', 'x');
  script.queue.want(text('at work 2'), 'score', 'x');
  script.queue.warm(text('warm'));
  for (const kind of ['memory', 'recall', 'score'] as WorkKind[]) script.queue.want(text(kind), kind, 'x');
  expect(await drained(script)).toEqual(['at work 1', 'at work 2', 'score', 'recall', 'memory', 'warm']);
});

test('a question is begun at once, beside whatever is at work', () => {
  const { queue, begun } = scripted();
  for (const words of ['one', 'two', 'three']) queue.want(text(words), 'score', 'x');
  queue.want(text('question'), 'query', 'y');
  expect(begun).toEqual(['one', 'two', 'question']);
});

test('background work never takes all threads', () => {
  const { queue, begun } = scripted();
  for (const words of ['one', 'two', 'three']) queue.warm(text(words));
  expect(begun).toEqual(['one']);
  queue.want(text('score'), 'score', 'x');
  expect(begun).toEqual(['one', 'score']);
});

test('clients take turns', async () => {
  const script = scripted();
  for (let index = 0; index < 5; index++) script.queue.want(text(`a${index}`), 'score', 'a');
  for (let index = 0; index < 2; index++) script.queue.want(text(`b${index}`), 'score', 'b');
  expect(await drained(script)).toEqual(['a0', 'a1', 'a2', 'b0', 'a3', 'b1', 'a4']);
});

test('the same text is embedded once, for whoever waits', async () => {
  const script = scripted();
  const tickets = [script.queue.want(text('same'), 'score', 'a'), script.queue.want(text('same'), 'memory', 'b')];
  await script.finish('same');
  expect(await Promise.all(tickets.map(({ vector }) => vector))).toEqual([Float32Array.of(1), Float32Array.of(1)]);
  expect(script.begun).toEqual(['same']);
});

test('what waits as background work becomes urgent when someone asks for it', async () => {
  const script = scripted();
  script.queue.warm(text('at work'));
  script.queue.warm(text('first'));
  script.queue.warm(text('second'));
  script.queue.want(text('second'), 'score', 'x');
  expect(await drained(script)).toEqual(['at work', 'second', 'first']);
});

test('left for later: it goes on in the background; dropped: never begun, or aborted', async () => {
  const script = scripted();
  const wants = ['at work', 'beside', 'later', 'dropped'].map((words) => script.queue.want(text(words), 'score', 'x'));
  const [first, , later, dropped] = wants;
  later?.leave('later');
  dropped?.leave('drop');
  first?.leave('drop');
  expect(await Promise.all([first?.vector, later?.vector, dropped?.vector])).toEqual([undefined, undefined, undefined]);
  expect(await drained(script)).toEqual(['at work', 'beside', 'later']);
  expect(script.aborted).toEqual(['at work']);
});

test('background work is bounded: the oldest goes', async () => {
  const script = scripted();
  script.queue.warm(text('at work'));
  for (let index = 0; index < 2_500; index++) script.queue.warm(text(`warm ${index}`));
  expect(script.queue.lengths.warm).toBe(2_001);
  await script.finish();
  expect(script.begun[1]).toBe('warm 500');
});

test('nothing is begun before the model is there, and everybody is told when it never comes', async () => {
  const queue = new EmbedQueue(() => Promise.reject(new Error('not yet')));
  const ticket = queue.want(text('a'), 'score', 'x');
  queue.close();
  expect(await ticket.vector).toBeUndefined();
  expect(queue.isIdle).toBe(true);
});

test('whatever is asked, left and finished in whatever order: nobody waits for ever, nothing stays', async () => {
  const step = fc.oneof(
    fc.record({
      what: fc.constant('want' as const),
      words: fc.nat(6),
      kind: fc.constantFrom<WorkKind>('query', 'score', 'recall', 'memory'),
      owner: fc.nat(2),
    }),
    fc.record({ what: fc.constant('warm' as const), words: fc.nat(6) }),
    fc.record({
      what: fc.constant('leave' as const),
      ticket: fc.nat(9),
      how: fc.constantFrom('drop' as const, 'later' as const),
    }),
    fc.record({ what: fc.constant('finish' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const script = scripted();
      const tickets: Ticket[] = [];
      for (const one of steps) {
        if (one.what === 'want') tickets.push(script.queue.want(text(String(one.words)), one.kind, one.owner));
        else if (one.what === 'warm') script.queue.warm(text(String(one.words)));
        else if (one.what === 'leave') tickets[one.ticket]?.leave(one.how);
        else await script.finish();
      }
      await drained(script);
      await Promise.all(tickets.map(({ vector }) => vector));
      expect(script.queue.lengths).toEqual({ query: 0, score: 0, recall: 0, memory: 0, warm: 0 });
    }),
  );
});
