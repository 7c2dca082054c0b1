// How much of each request is, byte for byte, the beginning of the one before it: what a prompt cache can use. A loop of
// 200 steps through the guard, with and without its state, against a guard that drops the oldest messages anew each time.
import { formatRatio } from '../measure.mjs';
import { builtGuard, hysteresis } from './built.mjs';
import { agentLoop, sendPoints } from './loop.mjs';

const STEPS = 200;
const SEEDS = [7, 11, 13];
const WINDOW = 32_768;
const SHARES = [0, 0.1, 0.2, 0.3, 0.4, 0.5];
/** Prices of Anthropic's cache, against input that is not cached: reading, writing. */
const READ_PRICE = 0.1;
const WRITE_PRICE = 1.25;
const RESPONSE = 4_096;

/** Drops the oldest messages until the rest fits; begins at a prompt, or at a call. */
function dropOldest(messages, room, price) {
  let total = messages.reduce((sum, message) => sum + price(message), 0);
  let at = 0;
  while (total > room && at < messages.length - 1) {
    total -= price(messages[at]);
    at += 1;
    // Never half a round trip.
    while (at < messages.length - 1 && messages[at].role === 'user' && Array.isArray(messages[at].content)) {
      total -= price(messages[at]);
      at += 1;
    }
  }
  return messages.slice(at);
}

/** Runs the loop through `guard(messages, state)`; sums over all requests. */
function runLoop(messages, price, guard) {
  let before = [];
  let state;
  const sums = { requests: 0, sent: 0, shared: 0, decisions: 0, over: 0 };
  for (const end of sendPoints(messages)) {
    const answer = guard(messages.slice(0, end), state);
    state = answer.state;
    const written = answer.messages.map((message) => JSON.stringify(message));
    let same = 0;
    while (same < before.length && written[same] === before[same]) same += 1;
    answer.messages.forEach((message, at) => {
      const tokens = price(message);
      sums.sent += tokens;
      if (at < same) sums.shared += tokens;
    });
    if (same < before.length) sums.decisions += 1;
    sums.requests += 1;
    if (answer.over) sums.over += 1;
    before = written;
  }
  return sums;
}

const added = (one, other) => Object.fromEntries(Object.keys(one).map((key) => [key, one[key] + other[key]]));

export async function run() {
  const plain = await builtGuard();
  const cache = new WeakMap();
  const price = (message) => {
    let tokens = cache.get(message);
    if (tokens === undefined) cache.set(message, (tokens = plain.estimateMessageTokens(message)));
    return tokens;
  };
  const loops = SEEDS.map((seed) => agentLoop({ steps: STEPS, seed }));
  const room = WINDOW - Math.ceil(WINDOW / 10) - RESPONSE;
  const ways = [
    ['drops the oldest messages, anew each time', (messages) => ({ messages: dropOldest(messages, room, price) })],
  ];
  const through = (shapeRequest, withState) => (messages, state) => {
    const given = {
      window: WINDOW,
      countTokens: price,
      ...(withState && { state: state ?? { version: 1, messages: {} } }),
    };
    const { request, report, state: next } = shapeRequest({ messages }, given);
    return { messages: request.messages, state: next, over: report.over };
  };
  ways.push(['the guard without its state', through(plain.shapeRequest, false)]);
  for (const share of SHARES) {
    const { shapeRequest } = await builtGuard(share);
    const used = share === hysteresis ? ' (as built)' : '';
    ways.push([`with its state, ${Math.round(share * 100)} % freed beyond${used}`, through(shapeRequest, true)]);
  }
  const measured = ways.map(([name, guard]) => ({
    name,
    ...loops.map((messages) => runLoop(messages, price, guard)).reduce(added),
  }));
  const share = ({ shared, sent }) => shared / sent;
  const cost = ({ shared, sent }) => shared * READ_PRICE + (sent - shared) * WRITE_PRICE;
  const percent = (value) => `${(100 * value).toFixed(1)} %`;
  const [naive] = measured;
  const own = measured.find(({ name }) => name.endsWith('(as built)'));
  return {
    name: 'prefix',
    title: `What a prompt cache can use of ${STEPS} steps in a window of ${WINDOW.toLocaleString('en')} tokens`,
    columns: ['guard', 'same prefix', 'requests that change what was sent', 'tokens a request', 'cost of input'],
    rows: measured.map((one) => [
      one.name,
      percent(share(one)),
      `${one.decisions} of ${one.requests}`,
      Math.round(one.sent / one.requests).toLocaleString('en'),
      formatRatio(cost(one) / cost(naive)),
    ]),
    notes: [
      `Same prefix: tokens of messages that stand, byte for byte, at the beginning of the request before, of all tokens sent; ${SEEDS.length} invented sessions together, ${own.requests} requests.`,
      `Cost of input: what is read from a cache at ${READ_PRICE} of the price, the rest written at ${WRITE_PRICE}, against the first row.`,
    ],
    targets: [
      {
        what: 'prefix that stays the same in a loop of 200 steps',
        reach: '≥ 85 % of the tokens',
        value: percent(share(own)),
        met: share(own) >= 0.85,
      },
      {
        what: 'requests of that loop over the window',
        reach: '0',
        value: String(own.over),
        met: own.over === 0,
      },
    ],
  };
}
