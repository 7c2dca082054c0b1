// A transcript of any size, written in pieces: a session repeated, its rows renumbered and linked, with the bulky rows of
// other types that make up most of a real file between them.
import { closeSync, openSync, writeSync } from 'node:fs';
import { conversation } from '../data.mjs';

const TURNS = 200;

function rowsOf(messages, round) {
  const rows = [];
  let made = 0;
  for (const [index, message] of messages.entries()) {
    const blocks = typeof message.content === 'string' ? [message.content] : message.content;
    for (const block of blocks) {
      const name = `${String(round).padStart(8, '0')}-0000-4000-8000`;
      const content = typeof block === 'string' ? block : [renamed(block, round)];
      const body = { role: message.role, content };
      rows.push({
        parentUuid: made === 0 ? null : `${name}-${String(made - 1).padStart(12, '0')}`,
        isSidechain: false,
        type: message.role,
        message: message.role === 'assistant' ? { id: `msg_${round}_${index}`, type: 'message', ...body } : body,
        uuid: `${name}-${String(made).padStart(12, '0')}`,
        timestamp: new Date(Date.UTC(2026, 0, 1) + (round * 10_000 + made) * 1000).toISOString(),
        sessionId: '00000000-0000-4000-9000-000000000000',
        version: '2.1.332',
      });
      made += 1;
    }
    if (index % 10 === 9) rows.push({ type: 'api-request-shape', system: 'x'.repeat(20_000), sessionId: '0' });
  }
  return rows;
}

function renamed(block, round) {
  if (block.type === 'tool_use') return { ...block, id: `${block.id}_${round}` };
  return block.type === 'tool_result' ? { ...block, tool_use_id: `${block.tool_use_id}_${round}` } : block;
}

/** Writes a transcript of about `bytes` bytes to `path`; `longLine` bytes of them in one line near the end. */
export function writeTranscript(path, bytes, longLine = 0) {
  const messages = conversation({ count: TURNS, tokens: 100_000, seed: 7 });
  const file = openSync(path, 'w');
  const write = (rows) => {
    const text = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    writeSync(file, text);
    return text.length;
  };
  let size = 0;
  try {
    for (let round = 0; ; round++) {
      size += write(rowsOf(messages, round));
      if (size >= bytes) break;
    }
    if (longLine > 0) {
      const rows = rowsOf([{ role: 'user', content: 'é'.repeat(longLine / 2) }, ...messages.slice(0, 20)], 99_999_999);
      size += write(rows);
    }
  } finally {
    closeSync(file);
  }
  return size;
}
