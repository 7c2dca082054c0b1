// Transcripts as the host writes them: prompts, answers, tool calls and results, each result twice (once for the host's own use).
import { closeSync, openSync, writeSync } from 'node:fs';

/** The same numbers for the same seed. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const SYLLABLES = 'ka lo mi ren tas vor sel dun pra qui ber ost fel gan nu'.split(' ');

function vocabulary(next, count) {
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(next() * 3) }, () => SYLLABLES[Math.floor(next() * SYLLABLES.length)]).join(''),
  );
}

/** Writes a transcript of about `bytes`; answers how many messages it has. */
export function writeTranscript(path, bytes, seed = 1) {
  const next = random(seed);
  const words = vocabulary(next, 8_000);
  // Few words are common and most are rare, as in any text.
  const word = () => words[Math.floor(next() ** 3 * words.length)];
  const prose = (count) => `${Array.from({ length: count }, word).join(' ')}. `;
  const code = (lines) =>
    Array.from(
      { length: lines },
      (_, line) =>
        `${String(line + 1).padStart(6)}→  const ${word()}${line} = await ${word()}.${word()}(${word()}, ${Math.floor(next() * 1000)});`,
    ).join('\n');
  const session = `00000000-0000-4000-8000-${String(seed).padStart(12, '0')}`;
  const file = openSync(path, 'w');
  let [rows, parent] = [0, null];
  const row = (fields) => {
    rows += 1;
    const uuid = `${String(seed).padStart(8, '0')}-0000-4000-8000-${String(rows).padStart(12, '0')}`;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + rows * 1000).toISOString();
    const common = {
      parentUuid: parent,
      isSidechain: false,
      cwd: '/work/project',
      sessionId: session,
      version: '2.1.332',
      gitBranch: 'main',
    };
    const line = `${JSON.stringify({ ...common, ...fields, uuid, timestamp })}\n`;
    parent = uuid;
    return writeSync(file, line);
  };
  for (let [step, left] = [0, bytes]; left > 0; step += 1) {
    left -= row({ type: 'user', message: { role: 'user', content: prose(20 + next() * 60) } });
    for (let call = 0; call < 6; call += 1) {
      const id = `toolu_${seed}_${step}_${call}`;
      const content = [
        { type: 'text', text: prose(20 + next() * 40) },
        { type: 'tool_use', id, name: 'Read', input: { file_path: `/work/project/src/${word()}.ts` } },
      ];
      const usage = { input_tokens: 1000, output_tokens: 200, cache_read_input_tokens: 30_000 };
      left -= row({
        type: 'assistant',
        message: { id: `msg_${id}`, type: 'message', role: 'assistant', model: 'claude-x', content, usage },
      });
      const text = code(10 + next() * 120);
      const result = [{ type: 'tool_result', tool_use_id: id, content: text }];
      left -= row({
        type: 'user',
        message: { role: 'user', content: result },
        toolUseResult: { type: 'text', file: { content: text, numLines: 99 } },
      });
    }
    left -= row({ type: 'system', subtype: 'turn_duration', durationMs: 12_000, isMeta: false });
  }
  closeSync(file);
  return rows;
}
