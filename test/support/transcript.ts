/** Builds Claude Code transcript rows for tests: one object per row, linked by parentUuid, with clocks that move on. */

export type RawRow = Record<string, unknown>;

interface Extra {
  readonly [key: string]: unknown;
}

/** A transcript that is written row by row. Each method adds one row and returns it. */
export class TranscriptBuilder {
  readonly rows: RawRow[] = [];
  readonly #salt: string;
  #made = 0;
  #parent: string | null = null;
  #clock = Date.UTC(2026, 0, 1);

  /** `salt` keeps the uuids of two builders apart. */
  constructor(salt = 0) {
    this.#salt = String(salt).padStart(4, '0');
  }

  /** A row of any kind, with uuid, parent and time. `extra` wins over every field. */
  add(fields: RawRow, extra: Extra = {}): RawRow {
    this.#made += 1;
    this.#clock += 1000;
    const uuid = `00000000-0000-4000-8000-${this.#salt}${String(this.#made).padStart(8, '0')}`;
    const row: RawRow = {
      parentUuid: this.#parent,
      isSidechain: false,
      ...fields,
      uuid,
      timestamp: new Date(this.#clock).toISOString(),
      sessionId: '11111111-1111-4111-8111-111111111111',
      version: '2.1.332',
      ...extra,
    };
    this.rows.push(row);
    if (typeof row['uuid'] === 'string') this.#parent = row['uuid'];
    return row;
  }

  prompt(text: unknown, extra: Extra = {}): RawRow {
    return this.add({ type: 'user', message: { role: 'user', content: text } }, extra);
  }

  assistant(messageId: string, blocks: unknown, extra: Extra = {}): RawRow {
    const message = { id: messageId, type: 'message', role: 'assistant', model: 'claude-test', content: blocks };
    return this.add({ type: 'assistant', message }, extra);
  }

  text(messageId: string, text: string, extra: Extra = {}): RawRow {
    return this.assistant(messageId, [{ type: 'text', text }], extra);
  }

  call(messageId: string, toolId: string, extra: Extra = {}): RawRow {
    const block = { type: 'tool_use', id: toolId, name: 'Bash', input: { command: `run ${toolId}` } };
    return this.assistant(messageId, [block], extra);
  }

  result(toolId: string, text = `output of ${toolId}`, extra: Extra = {}): RawRow {
    const content = [{ type: 'tool_result', tool_use_id: toolId, content: text }];
    return this.add({ type: 'user', message: { role: 'user', content }, toolUseResult: { stdout: text } }, extra);
  }

  progress(extra: Extra = {}): RawRow {
    const data = { type: 'agent_progress', message: { type: 'user', message: { role: 'user', content: 'inner' } } };
    return this.add({ type: 'progress', data }, extra);
  }

  queued(prompt: unknown, commandMode = 'prompt', extra: Extra = {}): RawRow {
    return this.add({ type: 'attachment', attachment: { type: 'queued_command', prompt, commandMode } }, extra);
  }

  /** A compaction: the boundary and its summary. `preserved` lists uuids of rows before it. */
  compaction(preserved: readonly string[] = [], metadata: Extra = {}): RawRow {
    const kept = preserved.length === 0 ? {} : { preservedMessages: { anchorUuid: 'x', uuids: preserved } };
    const compactMetadata = { trigger: 'auto', preTokens: 1000, ...kept, ...metadata };
    this.add({ type: 'system', subtype: 'compact_boundary', compactMetadata }, { parentUuid: null });
    return this.prompt('This session is being continued from a previous conversation.\nSummary: so far', {
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
    });
  }

  get bytes(): Buffer {
    return linesOf(this.rows);
  }
}

/** Rows as JSONL. */
export function linesOf(rows: readonly unknown[]): Buffer {
  return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** The uuid of a built row. */
export function uuidOf(row: RawRow): string {
  return String(row['uuid']);
}

interface Shown {
  readonly role: string;
  readonly content?: unknown;
}

function showBlock(block: unknown): string {
  if (typeof block !== 'object' || block === null) return String(block);
  const { type, text, id, tool_use_id: answers } = block as Record<string, unknown>;
  if (type === 'text') return String(text);
  if (type === 'tool_use') return `call ${String(id)}`;
  if (type === 'tool_result') return `result ${String(answers)}`;
  return String(type);
}

/** Messages in short, one line each: `user: hello`, `assistant: call t1 + call t2`. */
export function shown(messages: readonly Shown[]): string[] {
  return messages.map(({ role, content }) => {
    const parts = Array.isArray(content) ? content.map(showBlock) : [String(content)];
    return `${role}: ${parts.join(' + ')}`;
  });
}

/** A conversation of many turns with parallel calls, thinking, progress rows and now and then a compaction. */
export function longConversation(steps: readonly number[], salt = 0): TranscriptBuilder {
  const made = new TranscriptBuilder(salt);
  for (const [n, step] of steps.entries()) {
    const id = `${salt}.${n}`;
    switch (step % 10) {
      case 0:
        made.prompt(`prompt ${id}`);
        break;
      case 1:
        made.text(`m${id}`, `answer ${id}`);
        break;
      case 2:
        made.call(`m${id}`, `a${id}`);
        made.call(`m${id}`, `b${id}`);
        made.progress();
        made.result(`b${id}`);
        made.result(`a${id}`);
        break;
      case 3:
        made.call(`m${id}`, `a${id}`);
        made.result(`a${id}`);
        made.call(`m${id}`, `b${id}`);
        made.result(`b${id}`);
        break;
      case 4:
        made.result(`a${id}`);
        made.call(`m${id}`, `a${id}`);
        break;
      case 5:
        made.prompt('[Request interrupted by user]');
        break;
      case 6:
        made.queued(`queued ${id}`);
        break;
      case 7: {
        const previous = made.rows.at(-1);
        if (n % 5 === 0) made.compaction(previous === undefined ? [] : [uuidOf(previous)]);
        else made.call(`m${id}`, `never${id}`);
        break;
      }
      case 8: {
        // A rewind: back to the row before the last prompt, or a second prompt at the same place.
        const last = made.rows.findLast((row) => row['type'] === 'user');
        made.prompt(`other way ${id}`, last === undefined ? {} : { parentUuid: last['parentUuid'] });
        break;
      }
      default: {
        const from = Math.max(0, made.rows.length - 6);
        // A resume writes a stretch of the history again.
        made.rows.push(...made.rows.slice(from).filter((row) => row['type'] !== 'system'));
      }
    }
  }
  return made;
}
