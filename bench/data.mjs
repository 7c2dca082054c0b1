// Conversations to measure with: invented, the same for the same seed, shaped like a coding session (prompts, prose,
// tool calls, file contents, command output). No text from anywhere.

/** Numbers in 0..1, the same sequence for the same seed (mulberry32). */
export function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const PROSE =
  'the queue keeps each job until its handler returns and a retry waits longer after every failure so that a slow server is left alone while others go on'.split(
    ' ',
  );
const NAMES =
  'store queue clock lease claim worker payload attempt deadline handler registry counter session cursor batch window'.split(
    ' ',
  );

export function sentence(next, words) {
  return Array.from({ length: words }, () => PROSE[Math.floor(next() * PROSE.length)]).join(' ');
}

export function codeLine(next) {
  const name = () => NAMES[Math.floor(next() * NAMES.length)];
  return `  const ${name()}${Math.floor(next() * 100)} = await this.${name()}.${name()}(${name()}, { ${name()}: ${Math.floor(next() * 10_000)} });`;
}

/**
 * `count` messages in Anthropic shape of about `tokens` tokens together: of ten, one prompt, then calls with results,
 * the results holding four fifths of the text. `count` is best a multiple of ten.
 */
export function conversation({ count, tokens, seed = 1 }) {
  const next = random(seed);
  const messages = [];
  const perTen = (tokens / count) * 10;
  // What o200k makes of this text: 1.02 tokens per word of prose, 18.6 per line of code.
  const proseWords = Math.max(4, Math.round((perTen * 0.2) / 6 / 1.02));
  const codeLines = Math.max(1, Math.round((perTen * 0.8) / 4 / 18.6));
  for (let i = 0; messages.length < count; i++) {
    messages.push({ role: 'user', content: `${sentence(next, proseWords)}?` });
    for (let call = 0; call < 4; call++) {
      const id = `toolu_${i}_${call}`;
      const path = `/home/dev/project/src/${NAMES[Math.floor(next() * NAMES.length)]}.ts`;
      messages.push({
        role: 'assistant',
        content: [
          { type: 'text', text: `${sentence(next, proseWords)}.` },
          { type: 'tool_use', id, name: 'Read', input: { file_path: path } },
        ],
      });
      const lines = Array.from({ length: codeLines }, () => codeLine(next)).join('\n');
      messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: lines }] });
    }
    messages.push({ role: 'assistant', content: [{ type: 'text', text: `${sentence(next, proseWords)}.` }] });
  }
  return messages.slice(0, count);
}

/** The same messages as lines of a Claude Code transcript, one row per content block. */
export function transcript(messages) {
  const rows = [];
  let parentUuid = null;
  messages.forEach((message, index) => {
    const blocks = typeof message.content === 'string' ? [message.content] : message.content;
    for (const block of blocks) {
      const uuid = `00000000-0000-4000-8000-${String(rows.length).padStart(12, '0')}`;
      const body = { role: message.role, content: typeof block === 'string' ? block : [block] };
      rows.push({
        parentUuid,
        isSidechain: false,
        userType: 'external',
        cwd: '/home/dev/project',
        sessionId: '00000000-0000-4000-9000-000000000000',
        version: '2.1.197',
        type: message.role,
        message:
          message.role === 'assistant' ? { id: `msg_${index}`, type: 'message', model: 'sample', ...body } : body,
        uuid,
        timestamp: new Date(Date.UTC(2026, 0, 1) + rows.length * 1000).toISOString(),
      });
      parentUuid = uuid;
    }
  });
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
