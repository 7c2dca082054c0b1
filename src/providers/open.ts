/** A model by its name. Keys and addresses come from the environment, and from nowhere else. */
import { isAbsolute, resolve } from 'node:path';
import { ChittaError } from '../errors.ts';
import type { Env } from '../platform/env.ts';
import type { ChatModel } from '../ports/chat-model.ts';
import { type Credentials, type ModelReference, parseReference } from './reference.ts';

export interface OpenChatOptions {
  readonly env: Env;
  readonly cwd: string;
  /** What is declared of the model; undefined: nothing. */
  readonly contextWindow: number | undefined;
  readonly log: (line: string) => void;
}

function variable(env: Env, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === undefined || value === '' ? undefined : value;
}

/** A key as it can stand in a header; it is never part of a message. */
function keyIn(env: Env, name: string): string | undefined {
  const key = variable(env, name);
  if (key === undefined || /^[!-~]+$/.test(key)) return key;
  throw new ChittaError('E_PROVIDER', `${name} holds characters that no key has`, { hint: `check ${name}` });
}

function addressIn(env: Env, name: string, standard: string): string {
  const address = variable(env, name) ?? standard;
  const isHttp = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  if (!isHttp) throw new ChittaError('E_PROVIDER', `${name} is no http or https address`, { hint: `check ${name}` });
  const { username, password } = new URL(address);
  if (username === '' && password === '') return address;
  throw new ChittaError('E_PROVIDER', `${name} holds a password`, { hint: 'keys have variables of their own' });
}

/** What the environment offers. */
export function credentialsIn(env: Env): Credentials {
  return {
    hasAnthropic: (variable(env, 'ANTHROPIC_API_KEY') ?? variable(env, 'ANTHROPIC_AUTH_TOKEN')) !== undefined,
    hasOpenAi: (variable(env, 'OPENAI_API_KEY') ?? variable(env, 'OPENAI_BASE_URL')) !== undefined,
  };
}

/** What is missing in the environment for a model to be asked, in words; undefined if nothing is known to be. */
export function missingFor({ provider }: ModelReference, env: Env): string | undefined {
  const { hasAnthropic, hasOpenAi } = credentialsIn(env);
  if (provider === 'anthropic' && !hasAnthropic) return 'ANTHROPIC_API_KEY is not set';
  if (provider === 'openai' && !hasOpenAi) return 'neither OPENAI_API_KEY nor OPENAI_BASE_URL is set';
  return undefined;
}

/** A model that is ready to be asked; the caller disposes of it. Rejects with E_PROVIDER if it cannot be reached this way. */
export async function openChatModel(
  reference: string,
  { env, cwd, contextWindow, log }: OpenChatOptions,
): Promise<ChatModel> {
  const named = parseReference(reference, credentialsIn(env));
  const { provider, model = '' } = named;
  const missing = missingFor(named, env);
  if (missing !== undefined)
    throw new ChittaError('E_PROVIDER', `${provider}: ${missing}`, { hint: 'docs/summaries.md' });
  switch (provider) {
    case 'anthropic': {
      const { anthropicModel, ANTHROPIC_URL } = await import('./anthropic.ts');
      const baseUrl = addressIn(env, 'ANTHROPIC_BASE_URL', ANTHROPIC_URL);
      const apiKey = keyIn(env, 'ANTHROPIC_API_KEY');
      // Both at once are refused by the API.
      const authToken = apiKey === undefined ? keyIn(env, 'ANTHROPIC_AUTH_TOKEN') : undefined;
      return anthropicModel({ model, baseUrl, apiKey, authToken, contextWindow });
    }
    case 'openai': {
      const { openAiModel, OPENAI_URL } = await import('./openai.ts');
      const baseUrl = addressIn(env, 'OPENAI_BASE_URL', OPENAI_URL);
      return openAiModel({ model, baseUrl, apiKey: keyIn(env, 'OPENAI_API_KEY'), contextWindow });
    }
    case 'claude': {
      const { claudeCommandModel } = await import('./claude-command.ts');
      return claudeCommandModel({ model: named.model, env, contextWindow });
    }
    case 'gguf': {
      const { loadGgufChat } = await import('./gguf-chat.ts');
      return loadGgufChat({ path: isAbsolute(model) ? model : resolve(cwd, model), contextWindow, log });
    }
  }
}
