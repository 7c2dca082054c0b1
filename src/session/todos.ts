/** Open work, from the calls by which agents keep their lists: TodoWrite, TaskCreate and TaskUpdate, update_plan. */
import type { ToolCall } from '../messages/types.ts';

export interface Todo {
  readonly text: string;
  readonly state: 'pending' | 'in_progress';
}

interface Entry {
  text: string;
  status: string;
}

const CLOSED = /^(?:completed|done|deleted|cancelled|canceled)$/;
/** Answer to a TaskCreate: "Task #7 created successfully: …". */
const CREATED = /^Task #([0-9]{1,9})\b/;

function fields(value: unknown): Record<string, unknown> {
  // Objects only; every field is checked where it is read.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** Follows the lists through a conversation; what is open at the end is what counts. */
export class TodoLists {
  #list: Entry[] = [];
  readonly #tasks = new Map<string, Entry>();
  #created = 0;

  /** Takes note of one call and of what it was answered; calls of other tools change nothing. */
  see(call: ToolCall, answer: string): void {
    const input = fields(call.input);
    if (call.name === 'TodoWrite' || call.name === 'update_plan') {
      const list = input['todos'] ?? input['plan'];
      if (!Array.isArray(list)) return;
      this.#list = list.map(fields).map((entry) => ({
        text: text(entry['content']) || text(entry['step']),
        status: text(entry['status']),
      }));
    } else if (call.name === 'TaskCreate') {
      this.#created += 1;
      const id = CREATED.exec(answer)?.[1] ?? String(this.#created);
      this.#tasks.set(id, { text: text(input['subject']) || text(input['description']), status: 'pending' });
    } else if (call.name === 'TaskUpdate') {
      const task = this.#tasks.get(text(input['taskId']));
      if (task === undefined) return;
      task.status = text(input['status']) || task.status;
      task.text = text(input['subject']) || task.text;
    }
  }

  /** What is still to do, in the order of the lists, what is in progress first. */
  open(): Todo[] {
    const todos = [...this.#list, ...this.#tasks.values()]
      .filter((entry) => entry.text.trim() !== '' && !CLOSED.test(entry.status))
      .map((entry): Todo => ({ text: entry.text, state: entry.status === 'in_progress' ? 'in_progress' : 'pending' }));
    return [...todos.filter((todo) => todo.state === 'in_progress'), ...todos.filter((t) => t.state === 'pending')];
  }
}
