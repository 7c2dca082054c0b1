import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shapeText } from '../../src/actions/shape.ts';
import { ChittaError } from '../../src/errors.ts';
import { shapeRequest } from '../../src/shaping/shape.ts';
import { openAiRequest, thinkingRequest } from '../support/requests.ts';

const LONG = Array.from(
  { length: 400 },
  (_, at) => `line ${at}: the queue keeps each job until its handler returns`,
).join('\\n');
const result = (id: string): string =>
  `{"role":"user","content":[{"type":"tool_result","tool_use_id":"${id}","content":"${LONG}"}]}`;
const call = (id: string, input: string): string =>
  `{"role":"assistant","content":[{"type":"tool_use","id":"${id}","name":"Read","input":${input}}]}`;
const request = (input: string): string =>
  `{ "seed": 12345678901234567890,\n "max_tokens": 1e3, "messages": [ {"role":"user","content":"Why \\u0074wo?"},\n` +
  Array.from({ length: 8 }, (_, at) => `${call(`c${at}`, input)} , ${result(`c${at}`)}`).join(',') +
  `],"metadata":{"n":1.0},"stream":true }\n`;

test('what fits is not written again', () => {
  const { text, report } = shapeText(request('{"file_path":"a.ts"}'), { window: 200_000 });
  expect(text).toBeUndefined();
  expect(report.response).toBe(1_000);
});

test('what is not changed keeps its own characters, around the messages and among them', () => {
  const source = request(`{"offset":12345678901234567890,"at":1.0,"file_path":"a.ts","note":"${LONG}"}`);
  const { text = '', report } = shapeText(source, { window: 84_500 });
  expect(report.stages.map(({ name }) => name)).toContain('shorten-calls');
  expect(text.startsWith('{ "seed": 12345678901234567890,\n "max_tokens": 1e3, "messages": [')).toBe(true);
  expect(text.endsWith('],"metadata":{"n":1.0},"stream":true }\n')).toBe(true);
  expect(text).toContain('{"role":"user","content":"Why \\u0074wo?"}');
  expect(text.match(/"offset":12345678901234567890,"at":1\.0,/g)).toHaveLength(8);
  expect(text).not.toContain('chitta:number');
  expect(JSON.parse(text).messages).toHaveLength(17);
});

test('a number that says what a call was about stands in the mark as it was written', () => {
  const { text = '' } = shapeText(request('{"id":12345678901234567890}'), { window: 51_500 });
  expect(text).toMatch(/\[chitta:stub #[a-z2-7]{7} result of Read 12345678901234567890 \(400 lines/);
});

test('numbers weigh what they are written with: a request that fits does so however its numbers are written', () => {
  const numbers = Array.from({ length: 2_000 }, (_, at) => `${at}.50`).join(',');
  const source = request(`{"points":[${numbers}]}`);
  const { report: plain } = shapeRequest(JSON.parse(source), { window: 200_000 });
  const { text, report } = shapeText(source, { window: 200_000 });
  expect(text).toBeUndefined();
  expect([report.before, report.prompt]).toEqual([plain.before, plain.prompt]);
});

test.each(['1.0', '12345678901234567890', '7'])('a number (%s) is no content, however it is written', (number) => {
  expect(() => shapeText(`{"messages":[{"role":"user","content":${number}}]}`, {})).toThrow(
    expect.objectContaining({ code: 'E_MESSAGE_INVALID' }),
  );
});

test('a number of very many digits that is cut leaves nothing behind but digits', () => {
  const { text = '' } = shapeText(request(`{"n":${'7'.repeat(5_000)}}`), { window: 9_000 });
  expect(text).not.toContain('chitta:number');
});

test('changed messages are well-formed', () => {
  const source = request('{"file_path":"a.ts"}').replaceAll(
    '"tool_use_id":"c0"',
    '"mine":"\\ud83d","tool_use_id":"c0"',
  );
  const { text = '', replaced } = shapeText(source, { window: 51_500 });
  expect(replaced).toBe(1);
  expect(text).toContain('"mine":"\uFFFD"');
});

test('the state of one request is taken up by the next', () => {
  const source = request('{"file_path":"a.ts"}');
  const first = shapeText(source, { window: 40_000, state: {} });
  const next = shapeText(source, { window: 40_000, state: JSON.parse(JSON.stringify(first.state)) });
  expect(first.report.decided).toBe(true);
  expect(next.report.decided).toBe(false);
  expect(next.text).toBe(first.text);
});

test.each([
  [null],
  ['x'],
  [{ version: 2 }],
  [{ version: 1, messages: [] }],
  [{ version: 1, messages: { '#aaaaaaa': { results: -1 } } }],
  [{ version: 1, messages: {}, snip: { through: 1 } }],
])('a state that is none counts as none: %j', (state) => {
  expect(shapeText(request('{}'), { window: 36_000, state }).report.over).toBe(false);
});

describe('says what is wrong', () => {
  test.each([
    ['', 'E_INPUT_EMPTY', 'the input is empty'],
    ['{"messages":', 'E_INPUT_JSON', 'the input is not JSON'],
    ['{"messages":[]}\n{"messages":[]}', 'E_INPUT_JSON', 'the input is not JSON'],
    ['[{"role":"user","content":"x"}]', 'E_PARAM_INVALID', 'the input is a list, not a request'],
    ['null', 'E_PARAM_INVALID', 'the input is null, not a request'],
    ['7', 'E_PARAM_INVALID', 'the input is a number, not a request'],
    ['{}', 'E_PARAM_INVALID', 'messages is missing'],
    ['{"messages":{}}', 'E_PARAM_INVALID', 'messages is an object'],
    ['{"messages":[{"role":"user","content":"x"},7]}', 'E_MESSAGE_INVALID', 'messages[1] is a number'],
    [
      `{"messages":[{"role":"user","content":${'['.repeat(5_000)}${']'.repeat(5_000)}}]}`,
      'E_MESSAGE_INVALID',
      'messages[0]',
    ],
  ])('%.60s', (text, code, message) => {
    const problem = ((): unknown => {
      try {
        return shapeText(text, {});
      } catch (error) {
        return error;
      }
    })();
    expect(problem).toBeInstanceOf(ChittaError);
    expect(problem).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});

test('says the same as the messages would, however they are printed', () => {
  fc.assert(
    fc.property(fc.oneof(thinkingRequest, openAiRequest), fc.integer({ min: 200, max: 1_500 }), (messages, window) => {
      const options = { window, responseTokens: 50 };
      const [dense, wide] = [undefined, 2].map((indent) =>
        shapeText(JSON.stringify({ messages }, undefined, indent), options),
      );
      expect(dense?.report).toEqual(wide?.report);
      const [one, other] = [dense, wide].map((shaped) => JSON.parse(shaped?.text ?? 'null'));
      expect(one).toEqual(other);
    }),
  );
});
