/**
 * A conversation as it goes over the wire, in either of two shapes: Anthropic Messages (content blocks) or OpenAI chat
 * (`tool_calls` and role `tool`). Types are loose on purpose: a message belongs to the caller, unknown keys are kept,
 * and nothing here is ever mutated.
 */

/** One content block of a message. Known types are read through `viewOf`; unknown ones are carried along. */
export interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** One message of a conversation, after validation by `parseMessages`. */
export interface Message {
  readonly role: string;
  readonly content?: string | readonly Block[] | null;
  readonly [key: string]: unknown;
}

/** A message of either wire shape in the type that a caller has for it, such as an SDK's. */
export interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
}

/** What a message weighs as. `developer` reads as system, `function` as tool, anything unknown as other. */
export type Role = 'system' | 'user' | 'assistant' | 'tool' | 'other';

/** A tool call, from a `tool_use` block (and its server and MCP kin) or an OpenAI `tool_calls` entry. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed input; an OpenAI argument string that is not JSON stays a string. */
  readonly input: unknown;
}

/** The answer to a tool call, from a `tool_result` block or an OpenAI message of role `tool`. */
export interface ToolResult {
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
}

/** What the rest of the core reads of a message, whatever its wire shape. */
export interface MessageView {
  readonly role: Role;
  /** Text blocks (or string content), joined by newlines. No thinking, no tool input, no results. */
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly results: readonly ToolResult[];
  /** Thinking and redacted thinking, concatenated: it costs tokens, but is never searched or scored. */
  readonly thinking: string;
  /** Images and documents: each costs a flat number of tokens. */
  readonly mediaCount: number;
  /** Blocks of unknown type, as JSON: they cost tokens and are carried along. */
  readonly otherJson: string;
}
