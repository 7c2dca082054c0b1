import { expect, test } from 'vitest';
import { TodoLists } from '../../src/session/todos.ts';

const call = (name: string, input: unknown): { id: string; name: string; input: unknown } => ({ id: 'x', name, input });

test('the newest TodoWrite is the list; what is in progress comes first, what is done is gone', () => {
  const lists = new TodoLists();
  lists.see(call('TodoWrite', { todos: [{ content: 'old', status: 'pending' }] }), '');
  lists.see(
    call('TodoWrite', {
      todos: [
        { content: 'a', status: 'completed' },
        { content: 'b', status: 'pending' },
        { content: 'c', status: 'in_progress' },
      ],
    }),
    '',
  );
  expect(lists.open()).toEqual([
    { text: 'c', state: 'in_progress' },
    { text: 'b', state: 'pending' },
  ]);
});

test('tasks are followed by the number that their creation was answered with', () => {
  const lists = new TodoLists();
  lists.see(call('TaskCreate', { subject: 'first' }), 'Task #7 created successfully: first');
  lists.see(call('TaskCreate', { subject: 'second' }), 'Task #8 created successfully: second');
  lists.see(call('TaskUpdate', { taskId: '7', status: 'completed' }), 'ok');
  lists.see(call('TaskUpdate', { taskId: 8, status: 'in_progress', subject: 'second, better' }), 'ok');
  lists.see(call('TaskUpdate', { taskId: '99', status: 'deleted' }), 'ok');
  expect(lists.open()).toEqual([{ text: 'second, better', state: 'in_progress' }]);
});

test('reads the plan of update_plan', () => {
  const lists = new TodoLists();
  lists.see(
    call('update_plan', {
      plan: [
        { step: 'look', status: 'completed' },
        { step: 'act', status: 'pending' },
      ],
    }),
    '',
  );
  expect(lists.open()).toEqual([{ text: 'act', state: 'pending' }]);
});

test.each([undefined, null, 'text', 3, { todos: 'x' }, { todos: [null, 1, { content: 5 }, { content: [] }] }])(
  'an input of another shape (%j) changes nothing and does not throw',
  (input) => {
    const lists = new TodoLists();
    for (const name of ['TodoWrite', 'TaskCreate', 'TaskUpdate', 'update_plan']) lists.see(call(name, input), '');
    expect(lists.open().filter(({ text }) => text !== '5')).toEqual([]);
  },
);
