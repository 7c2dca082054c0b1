import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openChatModel } from '../../src/providers/open.ts';
import { parseReference } from '../../src/providers/reference.ts';
import type { Env } from '../../src/platform/env.ts';

const NOTHING = { hasAnthropic: false, hasOpenAi: false };
const KEYS = { hasAnthropic: true, hasOpenAi: true };

describe('the name of a model', () => {
  test.each([
    ['anthropic:claude-haiku-4-5', NOTHING, 'anthropic', 'claude-haiku-4-5'],
    ['openai:qwen3:8b', NOTHING, 'openai', 'qwen3:8b'],
    ['gguf:/models/a.gguf', NOTHING, 'gguf', '/models/a.gguf'],
    ['claude', KEYS, 'claude', undefined],
    ['claude:', KEYS, 'claude', undefined],
    ['claude:haiku', KEYS, 'claude', 'haiku'],
    ['claude-haiku-4-5', KEYS, 'anthropic', 'claude-haiku-4-5'],
    ['claude-haiku-4-5', NOTHING, 'claude', 'claude-haiku-4-5'],
    ['a model/with.gguf', NOTHING, 'gguf', 'a model/with.gguf'],
    ['qwen3:8b', KEYS, 'openai', 'qwen3:8b'],
    ['openai-thing', KEYS, 'openai', 'openai-thing'],
    [' gpt-5 ', KEYS, 'openai', 'gpt-5'],
  ])('%s with %o is of %s', (reference, credentials, provider, model) => {
    expect(parseReference(reference, credentials)).toEqual({ provider, model });
  });

  test.each(['', ' ', 'openai:', 'anthropic', 'gguf: ', 'qwen3:8b'])(
    '%j does not say who is to be asked',
    (reference) => {
      expect(() => parseReference(reference, NOTHING)).toThrow(expect.objectContaining({ code: 'E_PROVIDER' }));
    },
  );
});

describe('the environment', () => {
  const open = (reference: string, env: Env): Promise<unknown> =>
    openChatModel(reference, { env, cwd: '/', contextWindow: 1_000, log: () => undefined }).catch(
      (error: unknown) => error,
    );

  test('gives keys and addresses, and none of them shows in the model', async () => {
    const env = { ANTHROPIC_API_KEY: 'key-of-nobody-0', OPENAI_API_KEY: 'key-of-nobody-1' };
    const models = [await open('anthropic:m', env), await open('openai:m', env)];
    expect(models).toMatchObject([
      { name: 'anthropic:m', contextWindow: 1_000 },
      { name: 'openai:m', contextWindow: 1_000 },
    ]);
    expect(inspect(models, { depth: 9 })).not.toContain('key-of-nobody');
  });

  test.each([
    ['anthropic:m', {}, /ANTHROPIC_API_KEY is not set/],
    ['anthropic:m', { ANTHROPIC_API_KEY: ' ' }, /ANTHROPIC_API_KEY is not set/],
    ['anthropic:m', { ANTHROPIC_API_KEY: 'one\ntwo' }, /characters that no key has/],
    ['openai:m', {}, /neither OPENAI_API_KEY nor OPENAI_BASE_URL/],
    ['openai:m', { OPENAI_BASE_URL: 'file:///etc' }, /no http or https address/],
    ['openai:m', { OPENAI_BASE_URL: 'not an address' }, /no http or https address/],
    ['openai:m', { OPENAI_BASE_URL: 'http://user:secret@127.0.0.1/v1' }, /holds a password/],
    ['gguf:/nowhere/model.gguf', {}, /there is no file/],
    ['claude', { CHITTA_CHILD: '1' }, /starts no other/],
  ])('%s with %o is refused in words that hold no secret', async (reference, env, words) => {
    const error = await open(reference, env);
    expect(error).toMatchObject({ code: 'E_PROVIDER', message: expect.stringMatching(words) });
    expect(inspect(error)).not.toMatch(/one\ntwo|secret@/);
  });
});
