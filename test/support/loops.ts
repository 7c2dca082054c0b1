/** Loops to play: invented, the same every time. No text from anywhere. */
import type { Block } from '../../src/messages/types.ts';
import type { Loop, LoopCall, LoopStep } from './agent-loop.ts';

/** Numbers in 0..1, the same sequence for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const NAMES = 'store queue clock lease claim worker payload attempt deadline handler registry counter session'.split(
  ' ',
);
const HAN = '时间队列任务处理结果保存文件错误配置读取写入服务请求返回模型测试数据版本更新'.split('');
const KANA = 'データのほぞんとよみこみについてのせつめいです'.split('');

type Line = (next: () => number, at: number) => string;

const pick = <T>(list: readonly T[], next: () => number): T => list[Math.floor(next() * list.length)]!;
const code: Line = (next) =>
  `  const ${pick(NAMES, next)}${Math.floor(next() * 100)} = await this.${pick(NAMES, next)}.${pick(NAMES, next)}(${pick(NAMES, next)}, { ${pick(NAMES, next)}: ${Math.floor(next() * 10_000)} });`;
const log: Line = (next, at) =>
  `2026-03-${String(1 + Math.floor(next() * 28)).padStart(2, '0')}T10:${String(at % 60).padStart(2, '0')}:00.${Math.floor(next() * 1000)}Z INFO ${pick(NAMES, next)}[${Math.floor(next() * 99_999)}] ${pick(NAMES, next)} took ${Math.floor(next() * 900)} ms`;
const han: Line = (next) => Array.from({ length: 30 }, () => pick(HAN, next)).join('');
const kana: Line = (next) => Array.from({ length: 30 }, () => pick(KANA, next)).join('');

/** Text of so many bytes, in lines. */
export function text(bytes: number, line: Line, seed: number): string {
  const next = random(seed);
  const lines: string[] = [];
  for (let size = 0, at = 0; size < bytes; at++) {
    const one = line(next, at);
    lines.push(one);
    size += Buffer.byteLength(one) + 1;
  }
  return lines.join('\n');
}

const read = (bytes: number, at: number, line: Line = code): LoopCall => ({
  name: 'Read',
  input: { file_path: `src/part-${at}.ts` },
  result: text(bytes, line, at),
});
const step = (call: LoopCall, say?: string): LoopStep => ({ ...(say === undefined ? {} : { say }), calls: [call] });
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at + 1));

const IMAGE: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const BASE = 1_000;
const ANSWER = 'Done: the change is made, and the tests pass.';

const smallStep = (at: number): LoopStep =>
  step(
    { name: 'Bash', input: { command: `run part ${at}` }, result: text(250, log, at) },
    `Part ${at} comes next, since part ${at - 1} is done.`,
  );

/** A conversation of several turns with reads of sizes that differ, sub-agents and parallel calls. */
const mixed: Loop['turns'] = times(12, (turn) => ({
  prompt: `Look into area ${turn} and mend what is broken there. ${text(200, code, turn)}`,
  steps: times(6, (at) => ({
    say: `Step ${at} of area ${turn}.`,
    calls:
      at % 6 === 1
        ? [{ name: 'Task', input: { description: `explore area ${turn}` }, result: text(4_000, code, turn * 100) }]
        : times(1 + (at % 3), (call) => read(500 * call * at, turn * 100 + at * 10 + call)),
  })),
  answer: `${ANSWER} ${text(300, code, turn)}`,
}));

export const LOOPS: readonly Loop[] = [
  {
    name: '30 reads of 22 KB',
    baseTokens: BASE,
    turns: [
      {
        prompt: 'Read all parts and say what they do.',
        steps: times(30, (at) => step(read(22_000, at))),
        answer: ANSWER,
      },
    ],
  },
  {
    name: 'one read of 30 KB',
    baseTokens: BASE,
    turns: [{ prompt: 'Read the part and say what it does.', steps: [step(read(30_000, 1))], answer: ANSWER }],
  },
  {
    name: 'a dump of 237 KB',
    baseTokens: BASE,
    turns: [
      {
        prompt: 'Find out why the job fails.',
        steps: [
          ...times(3, smallStep),
          step({ name: 'Bash', input: { command: 'cat job.log' }, result: text(237_000, log, 7) }),
          ...times(5, smallStep),
        ],
        answer: ANSWER,
      },
    ],
  },
  {
    name: '1,000 small steps',
    baseTokens: BASE,
    turns: [{ prompt: 'Do all parts one by one.', steps: times(1_000, smallStep), answer: ANSWER }],
  },
  {
    name: 'Chinese and Japanese',
    baseTokens: BASE,
    turns: times(3, (turn) => ({
      prompt: `请检查第${turn}部分，${text(300, han, turn)}`,
      steps: times(8, (at) => step(read(8_000, turn * 10 + at, at % 2 === 0 ? han : kana), text(120, han, at))),
      answer: `完成了。${text(200, han, turn)}`,
    })),
  },
  {
    name: 'images',
    baseTokens: BASE,
    turns: times(4, (turn) => ({
      prompt: [IMAGE, { type: 'text', text: `This is how page ${turn} looks. Mend it.` }],
      steps: times(8, (at) =>
        step({
          name: 'Screenshot',
          input: { page: `${turn}-${at}` },
          result: [IMAGE, { type: 'text', text: text(200, log, at) }],
        }),
      ),
      answer: ANSWER,
    })),
  },
  { name: '12 turns of all kinds', baseTokens: BASE, turns: mixed },
  {
    name: 'a prompt that cannot fit',
    baseTokens: BASE,
    turns: [
      { prompt: 'What is this?', steps: times(2, smallStep), answer: ANSWER },
      { prompt: `Explain. ${text(40_000, code, 3)}`, steps: times(2, smallStep), answer: ANSWER },
      { prompt: 'Thank you. And now?', steps: times(2, smallStep), answer: ANSWER },
    ],
  },
];
