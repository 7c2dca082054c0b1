// A simulated agent loop: a prompt now and then, calls with results of very different sizes. The same for the same seed.
import { codeLine, random, sentence } from '../data.mjs';

const STEPS_PER_PROMPT = 25;
/** Lines of a result: most are short, some long, a few very long. */
const LINES = [3, 8, 8, 15, 15, 30, 30, 60, 60, 120, 200];

/** Messages of `steps` calls with their results, in Anthropic shape, one prompt before every 25th. */
export function agentLoop({ steps, seed = 7 }) {
  const next = random(seed);
  const messages = [];
  for (let at = 0; at < steps; at++) {
    if (at % STEPS_PER_PROMPT === 0) {
      if (at > 0) messages.push({ role: 'assistant', content: [{ type: 'text', text: `${sentence(next, 60)}.` }] });
      messages.push({ role: 'user', content: `${sentence(next, 25)}?` });
    }
    const id = `toolu_${at}`;
    const isEdit = next() < 0.2;
    const lines = LINES[Math.floor(next() * LINES.length)];
    const code = Array.from({ length: lines }, () => codeLine(next)).join('\n');
    const input = { file_path: `src/part${Math.floor(next() * 40)}.ts`, ...(isEdit && { new_string: code }) };
    messages.push({
      role: 'assistant',
      content: [
        { type: 'text', text: `${sentence(next, 12)}.` },
        { type: 'tool_use', id, name: isEdit ? 'Edit' : 'Read', input },
      ],
    });
    const content = isEdit ? 'The file has been changed.' : code;
    messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] });
  }
  return messages;
}

/** Where a request is sent: behind each prompt and each result. */
export function sendPoints(messages) {
  return messages.flatMap(({ role }, at) => (role === 'user' ? [at + 1] : []));
}
