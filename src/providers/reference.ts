/** Names of models: `PROVIDER:MODEL`, or a bare name whose provider is told by the name and by what the environment holds. Pure. */
import { ChittaError } from '../errors.ts';

const PROVIDERS = ['anthropic', 'openai', 'claude', 'gguf'] as const;
export type Provider = (typeof PROVIDERS)[number];

export interface ModelReference {
  readonly provider: Provider;
  /** Undefined only for `claude` alone: whatever that command uses. */
  readonly model: string | undefined;
}

/** What of the environment decides where a bare name belongs. */
export interface Credentials {
  readonly hasAnthropic: boolean;
  readonly hasOpenAi: boolean;
}

const HINT = 'name it PROVIDER:MODEL, where PROVIDER is anthropic, openai, claude or gguf';

/** Whether a reference names its provider itself. `qwen3:8b` does not: `qwen3` is none. */
function split(reference: string): ModelReference | undefined {
  const provider = PROVIDERS.find((one) => reference === one || reference.startsWith(`${one}:`));
  if (provider === undefined) return undefined;
  const model = reference.slice(provider.length + 1).trim();
  return { provider, model: model === '' ? undefined : model };
}

/**
 * Who is asked, and for what. A bare name that begins with `claude` is the API's where there is a key for it, else the command's; one
 * that ends in `.gguf` is a file; any other is that of an OpenAI-compatible server. Throws E_PROVIDER if it cannot be told.
 */
export function parseReference(reference: string, { hasAnthropic, hasOpenAi }: Credentials): ModelReference {
  const named = split(reference.trim());
  if (named !== undefined) {
    if (named.model !== undefined || named.provider === 'claude') return named;
    throw new ChittaError('E_PROVIDER', `${named.provider}: which of its models is not said`, { hint: HINT });
  }
  const model = reference.trim();
  if (model === '') throw new ChittaError('E_PROVIDER', 'the name of the model is empty', { hint: HINT });
  if (model.endsWith('.gguf')) return { provider: 'gguf', model };
  if (/^claude\b/i.test(model)) return { provider: hasAnthropic ? 'anthropic' : 'claude', model };
  if (hasOpenAi) return { provider: 'openai', model };
  throw new ChittaError('E_PROVIDER', `it is not known who provides the model ${model}`, {
    hint: `${HINT}; or set OPENAI_BASE_URL`,
  });
}
