/**
 * UserPromptSubmit: what is printed goes behind the prompt and stays in the context. Most prompts get nothing. The person waits
 * for this hook, so the daemon does the work where there is one.
 */
import { resolve } from 'node:path';
import type { HookApp } from './app.ts';
import type { HookInput } from './input.ts';

/** For everything that is looked up. */
const RECALL_MS = 150;

export async function userPromptSubmit(input: HookInput, app: HookApp): Promise<string> {
  const { prompt, sessionId: session, promptId, transcriptPath } = input;
  if (prompt === undefined || session === undefined) return '';
  const key = promptId ?? `at ${Date.now()}`;
  const transcript = transcriptPath === undefined ? undefined : resolve(transcriptPath);
  const { text } = await app.answerPrompt({
    prompt,
    session,
    key,
    transcript,
    recall: app.settings.recall,
    deadlineMs: RECALL_MS,
  });
  return text;
}
