/**
 * Plays an agent's tool loops against a planner, with a provider that counts and refuses and a summariser that is a plain
 * function. Nothing here is under test: it is what stands around the planner in a harness. Deterministic.
 */
import { inputText } from '../../src/messages/search-text.ts';
import type { Block, Message } from '../../src/messages/types.ts';
import { viewOf } from '../../src/messages/view.ts';
import type { ModelConfig } from '../../src/planning/model.ts';
import { planCompaction } from '../../src/planning/plan.ts';
import type { NoticeCode, PlanOptions, PlanStage, PlanState, SummaryRequest } from '../../src/planning/state.ts';
import { enforceToolRoundTrips } from '../../src/shaping/round-trips.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';
import { anthropicProblems, openAiProblems } from './api-rules.ts';

export type Format = 'anthropic' | 'openai';

/** One call of a tool, and what it answers. */
export interface LoopCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: string | readonly Block[];
}

/** The model says something and calls tools, all at once. */
export interface LoopStep {
  readonly say?: string;
  readonly calls: readonly LoopCall[];
}

/** A prompt, the steps that the model takes, its answer. */
export interface LoopTurn {
  readonly prompt: string | readonly Block[];
  readonly steps: readonly LoopStep[];
  readonly answer: string;
}

export interface Loop {
  readonly name: string;
  readonly baseTokens: number;
  readonly turns: readonly LoopTurn[];
}

/** Writes a summary; undefined if it fails. */
export type Summariser = (request: SummaryRequest) => Message | undefined;

export interface LoopOptions {
  readonly format: Format;
  readonly config: ModelConfig & { readonly contextWindow: number };
  readonly summarise: Summariser;
  /** Tokens as the provider counts them; default: as chitta estimates them. */
  readonly count?: (message: Message) => number;
  /** Whether the provider says how many it counted. Default true. */
  readonly counts?: boolean;
  readonly plan?: PlanOptions;
  /** Whether the form of every request is checked. Default true. */
  readonly checks?: boolean;
}

/** What came of it. */
export interface Tally {
  requests: number;
  /** Requests larger than the window, as the provider counts. */
  over: number;
  /** Of those, the ones whose system prompt and newest prompt alone do not fit. */
  hopeless: number;
  /** Requests that an API would refuse for their form. */
  malformed: number;
  problems: string[];
  /** Calls of the summariser, and tokens of what it was given. */
  summaries: number;
  summarised: number;
  /** Tokens of all requests together. */
  sent: number;
  largest: number;
  /** Tokens of all messages that there ever were. */
  produced: number;
  /** Of those, what each stage took out of the requests. */
  lost: { prune: number; summary: number; 'prune-tail': number };
  /** Requests from which the last resort took something. */
  lastResorts: number;
  notices: NoticeCode[];
}

/** Framing as the estimate counts it, for a provider with another way to count texts. */
const FRAMES = { message: 4, text: 1, call: 10, result: 8, media: 1_600 };

/** A count that looks at each message once. */
function once(count: (message: Message) => number): (message: Message) => number {
  const known = new WeakMap<Message, number>();
  return (message) => {
    const tokens = known.get(message) ?? count(message);
    known.set(message, tokens);
    return tokens;
  };
}

/**
 * Tokens of a message by a tokenizer's count of its texts: for the benchmark.
 * @public
 */
export function countedBy(countText: (text: string) => number): (message: Message) => number {
  return once((message) => {
    const view = viewOf(message);
    let tokens = FRAMES.message + view.mediaCount * FRAMES.media;
    for (const text of [view.text, view.thinking, view.otherJson]) {
      if (text !== '') tokens += FRAMES.text + countText(text);
    }
    for (const call of view.calls) tokens += FRAMES.call + countText(call.name) + countText(inputText(call.input));
    for (const result of view.results) tokens += FRAMES.result + countText(result.text);
    return tokens;
  });
}

/** The first words of each message, as many as fit into what a summary may have. */
export function firstWords({ messages, maxTokens }: SummaryRequest): Message {
  const lines = [`[CONVERSATION SUMMARY — ${messages.length} messages compressed]`, ''];
  let left = maxTokens / 2;
  for (const message of messages) {
    const view = viewOf(message);
    const text = [view.text, ...view.calls.map(({ name }) => name), ...view.results.map((one) => one.text)].join(' ');
    const line = text.slice(0, 60).toWellFormed().replaceAll(/\s+/g, ' ');
    left -= estimateMessageTokens({ role: 'user', content: line });
    if (left < 0) break;
    lines.push(`- ${line}`);
  }
  return { role: 'user', content: lines.join('\n') };
}

/** Blocks as OpenAI takes them of a user; a tool's answer may hold texts only. */
function openAiBlocks(content: readonly Block[]): Block[] {
  return content.map((block) =>
    block.type === 'image' ? { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } } : block,
  );
}

function openAiStep({ say, calls }: LoopStep, nextId: () => string): StepMessages {
  const withIds = calls.map((call) => ({ ...call, id: nextId() }));
  const toolCalls = withIds.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  const results = withIds.map(({ id, result }): Message => {
    const content = typeof result === 'string' ? result : result.filter(({ type }) => type === 'text');
    return { role: 'tool', tool_call_id: id, content };
  });
  // Harnesses send what a tool has seen behind its answer.
  const seen = calls.flatMap(({ result }) =>
    typeof result === 'string' ? [] : openAiBlocks(result.filter(({ type }) => type === 'image')),
  );
  if (seen.length > 0) results.push({ role: 'user', content: seen });
  return { reply: { role: 'assistant', content: say ?? null, tool_calls: toolCalls }, results };
}

function anthropicStep({ say, calls }: LoopStep, nextId: () => string): StepMessages {
  const withIds = calls.map((call) => ({ ...call, id: nextId() }));
  const said: Block[] = say === undefined ? [] : [{ type: 'text', text: say }];
  const content = withIds.map(({ id, name, input }): Block => ({ type: 'tool_use', id, name, input }));
  const answers = withIds.map(({ id, result }): Block => ({ type: 'tool_result', tool_use_id: id, content: result }));
  return {
    reply: { role: 'assistant', content: [...said, ...content] },
    results: [{ role: 'user', content: answers }],
  };
}

/** What the model and the tools say in one step. */
interface StepMessages {
  readonly reply: Message;
  readonly results: readonly Message[];
}

class Session {
  readonly #options: LoopOptions;
  readonly #base: number;
  readonly #count: (message: Message) => number;
  readonly tally: Tally = {
    requests: 0,
    over: 0,
    hopeless: 0,
    malformed: 0,
    problems: [],
    summaries: 0,
    summarised: 0,
    sent: 0,
    largest: 0,
    produced: 0,
    lost: { prune: 0, summary: 0, 'prune-tail': 0 },
    lastResorts: 0,
    notices: [],
  };
  #state: PlanState;
  #prompt: Message | undefined;

  constructor(loop: Loop, options: LoopOptions) {
    this.#options = options;
    this.#base = loop.baseTokens;
    this.#count = once(options.count ?? estimateMessageTokens);
    this.#state = { messages: [], baseTokens: loop.baseTokens };
  }

  add(...messages: Message[]): void {
    this.#state = { ...this.#state, messages: [...this.#state.messages, ...messages] };
    this.tally.produced += this.#sum(messages);
  }

  prompt(content: string | readonly Block[]): void {
    const isPlain = typeof content === 'string' || this.#options.format === 'anthropic';
    this.#prompt = { role: 'user', content: isPlain ? content : openAiBlocks(content) };
    this.add(this.#prompt);
  }

  #sum(messages: readonly Message[]): number {
    return messages.reduce((sum, message) => sum + this.#count(message), 0);
  }

  /** A plan counts as it believes its provider to count; what is lost is counted as the provider does. */
  #lose(stages: readonly PlanStage[], counted: number): void {
    const planned = stages.reduce((sum, { tokens }) => sum + tokens, 0);
    for (const { name, tokens } of stages) this.tally.lost[name] += (tokens / planned) * counted;
  }

  #plan(): void {
    const { tally } = this;
    const { config, summarise, plan: options = {} } = this.#options;
    for (let rounds = 0; ; rounds++) {
      const before = this.#sum(this.#state.messages);
      const plan = planCompaction(this.#state, config, options);
      this.#lose(plan.report.stages, before - this.#sum(plan.state.messages));
      if (plan.report.stages.some(({ name }) => name === 'prune-tail')) tally.lastResorts += 1;
      tally.notices.push(...plan.notices.map(({ code }) => code));
      this.#state = plan.state;
      if (plan.summarise === undefined) return;
      if (rounds > 0) throw new Error('a second summary for one request');
      tally.summaries += 1;
      tally.summarised += this.#sum(plan.summarise.messages);
      const summary = summarise(plan.summarise);
      if (summary === undefined) continue;
      tally.lost.summary += this.#sum(plan.summarise.messages) - this.#count(summary);
      const { lead, rest } = plan.summarise;
      this.#state = { ...plan.state, messages: [...lead, summary, ...rest] };
    }
  }

  #check(messages: readonly Message[]): void {
    const problems = this.#options.format === 'openai' ? openAiProblems(messages) : anthropicProblems(messages);
    if (enforceToolRoundTrips(messages).messages !== messages) problems.push('a tool round trip is not whole');
    if (problems.length > 0) this.tally.malformed += 1;
    this.tally.problems.push(...problems.slice(0, 3));
  }

  /** Sends the request; the provider counts it, and the model replies. */
  request(reply: Message): void {
    this.#plan();
    const { tally } = this;
    const { config, counts = true, checks = true } = this.#options;
    const { messages } = this.#state;
    const tokens = this.#base + this.#sum(messages);
    tally.requests += 1;
    tally.sent += tokens;
    tally.largest = Math.max(tally.largest, tokens);
    if (tokens > config.contextWindow) {
      tally.over += 1;
      const alone = this.#prompt === undefined ? 0 : this.#count(this.#prompt);
      if (this.#base + alone > config.contextWindow) tally.hopeless += 1;
    }
    if (checks) this.#check(messages);
    this.add(reply);
    if (!counts) return;
    const measured = { tokens: tokens + this.#count(reply), messages: this.#state.messages.length };
    this.#state = { ...this.#state, measured };
  }
}

/** Plays a loop to its end. */
export function playLoop(loop: Loop, options: LoopOptions): Tally {
  const session = new Session(loop, options);
  let calls = 0;
  const nextId = (): string => `call_${++calls}`;
  const toMessages = options.format === 'openai' ? openAiStep : anthropicStep;
  for (const { prompt, steps, answer } of loop.turns) {
    session.prompt(prompt);
    for (const step of steps) {
      const { reply, results } = toMessages(step, nextId);
      session.request(reply);
      session.add(...results);
    }
    session.request({ role: 'assistant', content: answer });
  }
  return session.tally;
}
