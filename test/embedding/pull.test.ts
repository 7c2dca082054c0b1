import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pullModel, type PullRequest } from '../../src/actions/model.ts';
import { download } from '../../src/embedding/download.ts';
import { findFile } from '../../src/embedding/hub.ts';
import { Shelf } from '../../src/embedding/shelf.ts';
import { packageRoot } from '../../src/platform/native.ts';
import { useFolder } from './folder.ts';
import { bertMetadata, ggufBytes, TINY_TOKENIZER } from './gguf-file.ts';
import { type HubServer, startHub } from './hub-server.ts';

const path = useFolder();
let hub: HubServer;
const bytes = ggufBytes(bertMetadata(), 'weights '.repeat(40_000));

beforeEach(async () => {
  hub = await startHub();
  hub.files.set('someone/tiny-GGUF/tiny.gguf', bytes);
});
afterEach(() => hub.close());

const pull = (reference: string, more: Partial<PullRequest> = {}): ReturnType<typeof pullModel> => {
  const shelf = new Shelf({ env: {}, home: path('home'), root: packageRoot(), cwd: path() });
  return pullModel(shelf, { reference, baseUrl: hub.baseUrl, ...more });
};
const folder = (): string => path('home', 'models', 'someone--tiny-GGUF');
const target = (): string => join(folder(), 'tiny.gguf');
const failure = (message: RegExp): unknown =>
  expect.objectContaining({ code: 'E_MODEL', message: expect.stringMatching(message) });

describe('a pull', () => {
  test('brings the file, whole, for this user alone, and leaves nothing else', async () => {
    const steps: number[] = [];
    const model = await pull('someone/tiny-GGUF', { onProgress: ({ doneBytes }) => steps.push(doneBytes) });
    expect(model).toMatchObject({ name: 'tiny', path: target(), origin: 'pulled', chosen: false });
    expect(readFileSync(target()).equals(bytes)).toBe(true);
    expect(statSync(target()).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder())).toEqual(['tiny.gguf']);
    expect([steps[0], steps.at(-1)]).toEqual([0, bytes.length]);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
  });

  test('brings the tokenizer if the repository has one', async () => {
    hub.files.set('someone/tiny-GGUF/tokenizer.json', Buffer.from(JSON.stringify(TINY_TOKENIZER)));
    expect((await pull('someone/tiny-GGUF')).details?.tokenizer).toBe('tokenizer.json');
    expect(statSync(join(folder(), 'tokenizer.json')).mode & 0o777).toBe(0o600);
  });

  test('does without a tokenizer that does not fit', async () => {
    hub.files.set('someone/tiny-GGUF/tokenizer.json', Buffer.from('{"model":{"type":"Strange"}}'));
    expect((await pull('someone/tiny-GGUF')).details?.tokenizer).toBe('llama.cpp');
    expect(readdirSync(folder())).toEqual(['tiny.gguf']);
  });

  test('of what is there already fetches nothing', async () => {
    await pull('someone/tiny-GGUF/tiny.gguf');
    hub.asked.length = 0;
    await pull('someone/tiny-GGUF/tiny.gguf');
    expect(hub.asked.filter((request) => request.startsWith('GET'))).toEqual([]);
  });

  test('replaces a file that was changed, here or there', async () => {
    await pull('someone/tiny-GGUF/tiny.gguf');
    writeFileSync(target(), 'changed');
    await pull('someone/tiny-GGUF/tiny.gguf');
    expect(readFileSync(target()).equals(bytes)).toBe(true);
    const newer = ggufBytes(bertMetadata({ 'general.name': 'newer' }));
    hub.files.set('someone/tiny-GGUF/tiny.gguf', newer);
    await pull('someone/tiny-GGUF/tiny.gguf');
    expect(readFileSync(target()).equals(newer)).toBe(true);
  });

  test('follows a repository to its new name', async () => {
    hub.renamed.set('someone/old-name', 'someone/tiny-GGUF');
    const model = await pull('someone/old-name/tiny.gguf');
    expect(model.path).toBe(path('home', 'models', 'someone--old-name', 'tiny.gguf'));
  });
});

describe('a broken connection', () => {
  test('is told, and the next try goes on where it broke', async () => {
    hub.mood = 'cut';
    await expect(pull('someone/tiny-GGUF/tiny.gguf')).rejects.toEqual(
      expect.objectContaining({ code: 'E_MODEL', hint: expect.stringMatching(/goes on from there/) }),
    );
    const [part = ''] = readdirSync(folder());
    const held = statSync(join(folder(), part)).size;
    expect([part, held > 0]).toEqual([expect.stringMatching(/^tiny\.gguf\.[0-9a-f]{8}\.part$/), true]);
    hub.mood = 'well';
    await pull('someone/tiny-GGUF/tiny.gguf');
    expect(hub.asked).toContain(`GET /someone/tiny-GGUF/resolve/main/tiny.gguf bytes=${held}-`);
    expect(readFileSync(target()).equals(bytes)).toBe(true);
    expect(readdirSync(folder())).toEqual(['tiny.gguf']);
  });

  test('starts anew where the other side cannot go on in the middle', async () => {
    hub.mood = 'cut';
    await expect(pull('someone/tiny-GGUF/tiny.gguf')).rejects.toEqual(failure(/cannot be reached|ended after/));
    hub.mood = 'no-ranges';
    await pull('someone/tiny-GGUF/tiny.gguf');
    expect(readFileSync(target()).equals(bytes)).toBe(true);
  });

  test('that only falls silent is given up', async () => {
    hub.mood = 'silent';
    const found = await findFile(hub.baseUrl, 'someone/tiny-GGUF', 'tiny.gguf');
    const request = { url: found?.url ?? '', target: path('t.gguf'), sha256: found?.sha256 ?? '', size: bytes.length };
    await expect(download({ ...request, silenceMs: 100 })).rejects.toEqual(failure(/nothing came for 100 ms/));
    expect(existsSync(path('t.gguf'))).toBe(false);
  });

  test('by the person, too: an abort rejects with its reason', async () => {
    const controller = new AbortController();
    hub.mood = 'silent';
    const aborted = pull('someone/tiny-GGUF/tiny.gguf', {
      signal: controller.signal,
      onProgress: ({ doneBytes }) => {
        if (doneBytes > 0) controller.abort(new Error('enough'));
      },
    });
    await expect(aborted).rejects.toThrow('enough');
  });
});

describe('what is refused', () => {
  test('bytes that are not those of the checksum; nothing of them stays', async () => {
    hub.mood = 'damaged';
    await expect(pull('someone/tiny-GGUF/tiny.gguf')).rejects.toEqual(failure(/arrived damaged: its sha256 is/));
    expect(readdirSync(folder())).toEqual([]);
  });

  test('a file that only has the name of a model', async () => {
    hub.files.set('someone/tiny-GGUF/tiny.gguf', Buffer.from('<html>sign in</html>'));
    await expect(pull('someone/tiny-GGUF/tiny.gguf')).rejects.toEqual(failure(/is not a GGUF file/));
    expect(readdirSync(folder())).toEqual([]);
  });

  test('a model that writes text', async () => {
    hub.files.set('someone/tiny-GGUF/tiny.gguf', ggufBytes(bertMetadata({ 'bert.pooling_type': 0 })));
    await expect(pull('someone/tiny-GGUF/tiny.gguf')).rejects.toEqual(failure(/does not pool/));
    expect(readdirSync(folder())).toEqual([]);
  });

  test('a file without a checksum', async () => {
    hub.mood = 'no-sum';
    await expect(pull('someone/tiny-GGUF/tiny.gguf')).rejects.toEqual(failure(/no checksum/));
  });

  test.each([
    ['forbidden', /needs a login \(401\)/],
    ['down', /answered 503/],
  ] as const)('a service that is %s', async (mood, message) => {
    hub.mood = mood;
    await expect(pull('someone/tiny-GGUF')).rejects.toEqual(failure(message));
  });

  test('a repository or a file that is not there', async () => {
    await expect(pull('no/body')).rejects.toEqual(failure(/no\/body is not there \(404\)/));
    await expect(pull('someone/tiny-GGUF/other.gguf')).rejects.toEqual(failure(/has no other\.gguf/));
  });

  test('a service that cannot be reached', async () => {
    await hub.close();
    await expect(pull('someone/tiny-GGUF')).rejects.toEqual(failure(/cannot be reached: ECONNREFUSED/));
    hub = await startHub();
  });
});
