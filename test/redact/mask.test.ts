import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskSecrets } from '../../src/redact/mask.ts';
import { SECRETS } from './secrets.ts';

describe('what goes', () => {
  test.each(SECRETS)('masks $kind', ({ text, secret }) => {
    const { text: out, masked } = maskSecrets(text);
    expect(out).not.toContain(secret);
    expect(out).toContain('[masked:');
    expect(masked).toBeGreaterThan(0);
  });

  test.each(SECRETS)('masks $kind in the middle of JSON inside JSON', ({ text, secret }) => {
    const nested = JSON.stringify({ content: JSON.stringify({ stdout: `first line\n${text}\nlast line` }) });
    const bare = JSON.stringify(JSON.stringify(secret)).slice(3, -3);
    expect(maskSecrets(nested).text).not.toContain(bare);
  });

  test.each([
    ['export AWS_SECRET_ACCESS_KEY=abc/def+ghi0 # prod', 'export AWS_SECRET_ACCESS_KEY=[masked:key] # prod'],
    ['{"user": "jo", "password": "hunter2", "port": 1}', '{"user": "jo", "password": "[masked:password]", "port": 1}'],
    ['curl -H "Authorization: Bearer abc123def456" x', 'curl -H "Authorization: Bearer [masked:authorization]" x'],
    ['psql postgres://app:s3cret@db:5432/app', 'psql postgres://app:[masked:url-secret]@db:5432/app'],
    ['Set-Cookie: sid=abcdef123456; Path=/; HttpOnly', 'Set-Cookie: [masked:cookie]; Path=/; HttpOnly'],
    ['my pa\u017f\u017fword: correct-horse', 'my pa\u017f\u017fword: [masked:password]'],
    ['un\u017fer \u212aennwort ist correct-horse', 'un\u017fer \u212aennwort ist [masked:password]'],
  ])('keeps the words around: %s', (text, expected) => {
    expect(maskSecrets(text).text).toBe(expected);
  });

  test('masks a key whose lines are numbered, as a file reader prints them', () => {
    const body = ['MIIEowIBAAKCAQEAx5q0Zk3J9rT', 'q8fYwB2vN4mK7pL1sD6hG3jE5tR'];
    const text = [`     1→-----BEGIN RSA ${'PRIVATE'} KEY-----`, `     2→${body[0]}`, `     3→${body[1]}`].join('\n');
    const whole = `${text}\n     4→-----END RSA ${'PRIVATE'} KEY-----\n     5→done`;
    expect(maskSecrets(whole).text).toBe('     1→[masked:private-key]\n     5→done');
    const cut = maskSecrets(`${text}\nthe file goes on`).text;
    expect(cut).not.toContain(body[1]);
    expect(cut).toContain('the file goes on');
  });
});

describe('what stays', () => {
  test.each([
    'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
    'id 550e8400-e29b-41d4-a716-446655440000',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '"integrity": "sha512-9KkV1dcGz7hhmRz6BEcJbUg1qbqTpcTBZzMLHwDtnDHcbEnXfLvAzTcJpKdRmHqyQRwmxTfqYbbGCUZkJ8Pmtw=="',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'a risk-based approach with a task-runner and desk-side sk-learn helpers',
    'Authorization: Bearer <your-token>',
    'export API_KEY=<your-token>',
    'export API_KEY=xxxxxxxxxxxx',
    'GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'TOKEN=${TOKEN}',
    'curl -H "Authorization: Bearer $TOKEN" https://api.example.com',
    'headers: { Authorization: `Bearer ${token}` }',
    'const key = process.env.API_KEY;',
    'apiKey: process.env.API_KEY,',
    'password = os.environ["DB_PASSWORD"]',
    'GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}',
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl jo@host',
    '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----',
    "if (pem.startsWith('-----BEGIN PRIVATE KEY-----')) return parse(pem.replace('-----END PRIVATE KEY-----', ''));",
    'http://localhost:3000/api and https://host.example:8443/@scope/pkg',
    'postgres://user@host/db',
    'git+ssh://git@github.com:owner/repo.git',
    'postgres://app:${DB_PASSWORD}@db/app',
    'max_tokens: 4096, input_tokens=1234, "token_count": 88888888',
    'interface Login { user: string; password: string; token?: string }',
    'const token = await getToken(request);',
    'password: z.string().min(8)',
    'token: req.headers.authorization',
    'def login(user, password=None, token=None): pass',
    '"password": "Enter your password"',
    '{ token: "comment", foreground: "6A9955" }',
    'the token was rejected; the password is wrong',
    'PWD=/home/jo/project OLDPWD=/home/jo',
    'SSH_PRIVATE_KEY=/home/jo/.ssh/id_ed25519.pem',
    'docker run -u 1000:1000 image',
    'authorization: the author of this page',
    'Cookie: the browser sends it back',
    'author=jo, authenticated=true, oauth2=false',
    'toolu_01A09q90qw90lq917835lq9 msg_013Zva2CMHLNnXjNJJKqJ2EF',
    'pk_live_abcdefghijklmnop0123 is the publishable one',
    'mysql -u root -p app < dump.sql',
    'connect(user=user, password=password, token=token)',
    '"auth": "required", auth: basic, auth=none',
    'req.auth = authInfo; __auth: overridesAuth ? undefined : this._auth; auth: ManagedOAuthResponse | StaticTokenResponse',
    'declare function derive(password: Uint8Array, salt: Uint8Array): ArrayBuffer',
    '"dependencies": { "read-password": "^1.2.1", "get_token": "~12.0.31" }',
    'Vaults.Credentials = credentials_1.Credentials; exports.Token = token_reader_12.Token;',
    '--- PASS: TestFoo_Bar2 (0.01s)',
    'all tests pass: `npm run test2`',
    'Pwd: "C:\\\\work2", Expected: 1',
    'PASSWORD= \nTOKEN=\n',
    'see https://github.com/owner/repo/commit/9fceb02d0ae598e95dc970b74767f19372d61af8 at 10.0.0.1:8443',
    'key: 550e8400-e29b-41d4-a716-446655440000, etag "33a64df551425fcc55e4d42a148795d9f25f89d4"',
    '"resolved": "https://registry.npmjs.org/x/-/x-1.0.0.tgz#9fceb02d0ae598e95dc970b74767f19372d61af8"',
    'lodash@4.17.21 sha1-gjHZLRMdXHVRqTzqTzqTzqTzqTz= checksum=10c0/9fceb02d0ae598e95dc970b74767f193',
    'h1:3Rqk5PUFHcAkTLRtnPTkT7Vq6kLpj1IFnkbJlqrBBHE= example.com/mod v1.2.3',
    '{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"}',
    '"id": "msg_013Zva2CMHLNnXjNJJKqJ2EF", "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"',
    'task-sk-learn-based disk-usage and ask-for-more123 whisk-ey',
    'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDK0wmN/Cr3JXqmLW7u+g9pTh+wyqDHpSQEIQczXkVx9q jo@host',
    '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----',
    '    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJkekNDQVIyZ0F3SUJBZ0lC',
    'token = SyntaxKind.GreaterThanGreaterThanEqualsToken;',
    'const lastToken = "NoSubstitutionTemplateLiteral"; nextToken = nextSignificantTokenOfLine;',
    'const value = token2.value; const special = specialToken = nextMatch2![1];',
    'x={};a.readToken=function(){this.inElement2=!0};b()',
    'if( nToken>=0 ){ nFirstToken = (nToken+nSnippet-1); nToken = FTS5_MAX_TOKEN_SIZE; }',
    "program.arguments('<username> <password>');",
    ' * @POST_HANDSHAKE_AUTH: Enable it after the first message. @DIALOG_TOKEN: number of the dialogue',
    'SERVER_AUTH: "serverAuth", private_key: ed25519.Ed25519PrivateKey',
    '.. _`Bearer Token`: https://tools.example.org/html/rfc6750#section-2',
    'may be given by the --username and --password options, or --token flags',
    'password = ":****"',
    'headers["authorization"] = (\n  \'Digest username="%s", realm="%s"\')',
    'readonly STENCIL_BACK_PASS_DEPTH_PASS: 0x8803;',
    'Let me see if the tests pass:"}],"stop_reason":null,"usage":{"input_tokens":12345678}',
    '["username", "password", "remember_me_token2"]',
    'passwords are 8 characters long, and the password is 12 characters',
    'the password is required; the password is wrong, the password was changed to something else',
    'the token is 2048 long; each token is roughly 4 characters',
    'the primary key is user_id_2024abc and the cache key is 9fceb02d0ae598e95dc970b74767f19372d61af8',
    'the password is in vault.yml, and the secret is stored under app/secret2',
    'the password for this is stored by Keychain2 version 3',
    'the user typed the password again, with password or without',
    'password is "optional"',
    'env token list',
    '- name: DB_HOST\n  value: localhost1',
    'https://user_name_without_digits@example.org/path',
  ])('leaves alone: %s', (text) => {
    expect(maskSecrets(text)).toEqual({ text, masked: 0 });
  });
});

describe('always', () => {
  const pieces = fc.oneof(
    fc.constantFrom(...SECRETS.map(({ text }) => text)),
    fc.constantFrom(...SECRETS.map(({ secret }) => secret)),
    fc.constantFrom(
      ' ',
      '\n',
      '"',
      "'",
      '=',
      ':',
      ',',
      '\\n',
      '\\"',
      '[',
      ']',
      '-----',
      'token',
      'PASSWORD=',
      'Bearer ',
    ),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  );
  const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''));

  test('masking twice is masking once', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = maskSecrets(text).text;
        expect(maskSecrets(once)).toEqual({ text: once, masked: 0 });
      }),
      { numRuns: 2000 },
    );
  });

  test('a well-formed text stays well-formed', () => {
    fc.assert(
      fc.property(texts, (text) => {
        // Buffer round trip: a lone surrogate would come back as U+FFFD.
        const out = maskSecrets(text).text;
        const wellFormed = Buffer.from(text, 'utf8').toString('utf8') === text;
        expect(!wellFormed || Buffer.from(out, 'utf8').toString('utf8') === out).toBe(true);
      }),
    );
  });

  test.each([
    ['token runs', 'sk-'],
    ['half open keys', '-----BEGIN PRIVATE KEY-----'],
    ['key markers without bodies', '-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n'],
    ['words with quotes', 'token:"'],
    ['addresses', '://a:b'],
    ['dotted runs', 'eyJabcdefghi.'],
    ['hyphened runs', 'eyJabcdefghi-'],
    ['hexadecimal', '0123456789abcdef'],
    ['curl', 'curl -u a'],
    ['cookies', 'cookie:a=bbbbb'],
    ['equal signs', 'PASSWORD=='],
    ['names in a row', 'secret='],
    ['references in a row', 'TOKEN=${'],
    ['backslashes', 'secret\\\\\\'],
    ['one long line', 'a'],
    ['sentences', 'password is '],
    ['sentences without an end', 'password for a'],
    ['continued lines', 'TOKEN=a\\\n'],
    ['lists', '"token", '],
    ['lists of variables', 'name: DB_TOKEN\n\n\n'],
    ['pairs', "auth=('"],
    ['lone tokens', '://a1'],
    ['beginnings of tokens', 'ghp_'],
    ['numbers before a mark', '12345678:AA'],
    ['spaces', '"api_key" '],
  ])('takes time in step with the length: %s', (_, seed) => {
    // Processor time, least of three: what other processes do must not count.
    const time = (length: number): number => {
      const text = seed.repeat(Math.ceil(length / seed.length));
      const spent = [1, 2, 3].map(() => {
        const before = process.cpuUsage();
        maskSecrets(text);
        return process.cpuUsage(before).user / 1_000;
      });
      return Math.min(...spent);
    };
    // Quadratic work would take 100 times as long for 10 times the text.
    const small = Math.max(time(40_000), 4);
    expect(time(400_000)).toBeLessThan(small * 40);
  });
});
