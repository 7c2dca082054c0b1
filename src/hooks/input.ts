/**
 * What a host sends a hook on standard input, narrowed once. Whatever arrives becomes a value: a host of another
 * version, a person trying it by hand, or nothing at all must not make a hook fail.
 */

/** The fields that hooks read; a field of another type counts as absent. */
export interface HookInput {
  readonly event: string | undefined;
  readonly sessionId: string | undefined;
  readonly transcriptPath: string | undefined;
  readonly cwd: string | undefined;
  /** What set the compaction off: `manual`, `auto`, or something a newer host says. */
  readonly trigger: string | undefined;
  /** Text behind `/compact`; null, empty and absent are the same. */
  readonly customInstructions: string | undefined;
  /** What began a session: `startup`, `resume`, `clear`, `fork`, `compact`, or something a newer host says. */
  readonly source: string | undefined;
  readonly prompt: string | undefined;
  readonly promptId: string | undefined;
  /** The model's reply to the request for a summary, as it came; empty where there was none. */
  readonly compactSummary: string | undefined;
  /** Where a sub-agent that has ended kept its own transcript. */
  readonly agentTranscriptPath: string | undefined;
  /** Present when the event happened inside a sub-agent. */
  readonly agentId: string | undefined;
  /** The agent's name, also of a main session started with `--agent`; empty for the fork that writes a summary. */
  readonly agentType: string | undefined;
}

export type ParsedInput = { readonly input: HookInput } | { readonly problem: string };

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/**
 * Reads hook input from bytes; `complete` is false if there was more than was read, or no end: what is whole all the same is taken.
 * Never throws.
 */
export function parseHookInput(bytes: Buffer, complete = true): ParsedInput {
  const text = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
  if (text === '') return { problem: 'standard input is empty' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (complete) return { problem: 'standard input is not JSON' };
    return { problem: `standard input is longer than ${bytes.length} bytes or did not end` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'standard input is not a JSON object' };
  }
  // An object, just checked; every field is narrowed here.
  const fields = value as Record<string, unknown>;
  const agentType = fields['agent_type'];
  return {
    input: {
      event: nonEmpty(fields['hook_event_name']),
      sessionId: nonEmpty(fields['session_id']),
      transcriptPath: nonEmpty(fields['transcript_path']),
      cwd: nonEmpty(fields['cwd']),
      trigger: nonEmpty(fields['trigger']),
      customInstructions: nonEmpty(fields['custom_instructions']),
      source: nonEmpty(fields['source']),
      prompt: nonEmpty(fields['prompt']),
      promptId: nonEmpty(fields['prompt_id']),
      compactSummary: nonEmpty(fields['compact_summary']),
      agentTranscriptPath: nonEmpty(fields['agent_transcript_path']),
      agentId: nonEmpty(fields['agent_id']),
      agentType: typeof agentType === 'string' ? agentType : undefined,
    },
  };
}
