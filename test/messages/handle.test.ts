import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { handleOf } from '../../src/messages/handle.ts';

describe('handles', () => {
  test('are # and seven base32 characters, for any message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.option(fc.uuid(), { nil: undefined }), (content, uuid) => {
        expect(handleOf({ role: 'user', content, uuid })).toMatch(/^#[a-z2-7]{7}$/);
      }),
    );
  });

  test('follow the uuid, whatever becomes of the content', () => {
    const uuid = '3f2f9b1e-6f0a-4f5c-9a58-0d6c6d3f7a11';
    expect(handleOf({ role: 'user', content: 'a', uuid })).toBe(handleOf({ role: 'assistant', content: 'b', uuid }));
  });

  test('follow the content where there is no uuid', () => {
    const handle = handleOf({ role: 'user', content: 'a' });
    expect(handleOf({ role: 'user', content: 'a' })).toBe(handle);
    expect(handleOf({ role: 'user', content: 'b' })).not.toBe(handle);
    expect(handleOf({ role: 'assistant', content: 'a' })).not.toBe(handle);
  });

  test('are told apart from each other over a long session', () => {
    const handles = new Set(
      Array.from({ length: 5000 }, (_, index) => handleOf({ role: 'user', content: `turn ${index}` })),
    );
    expect(handles.size).toBe(5000);
  });

  test('stay what they are: changing them would cut people off from what they archived', () => {
    expect(handleOf({ role: 'user', content: 'x', uuid: 'u-1' })).toMatchInlineSnapshot(`"#adlm6ln"`);
    expect(handleOf({ role: 'user', content: 'x' })).toMatchInlineSnapshot(`"#i2kzu2x"`);
  });
});
