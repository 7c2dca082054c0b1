/** Made-up secrets of every kind, put together from parts so that no scanner takes this file for a leak. */

export interface Secret {
  readonly kind: string;
  readonly text: string;
  /** The part that must be gone. */
  readonly secret: string;
}

const A = 'Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j'; // 36
const HEX = '0f1e2d3c4b5a69788796a5b4c3d2e1f0'; // 32
const UPPER = 'Q7W3E9R2T5Y8U1I4'; // 16

function bare(kind: string, ...parts: readonly string[]): Secret {
  const secret = parts.join('');
  return { kind, text: `it said ${secret} there`, secret };
}

function within(kind: string, text: string, secret: string): Secret {
  return { kind, text: text.replace('%', secret), secret };
}

const PEM_BODY = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\n${A}${A}\n${A}==`;
const PEM = ['-----BEGIN ', 'PRIVATE KEY-----\n', PEM_BODY, '\n-----END ', 'PRIVATE KEY-----'].join('');

export const SECRETS: readonly Secret[] = [
  bare('an AWS access key id', 'AK', 'IA', UPPER),
  bare('an AWS session key id', 'AS', 'IA', UPPER),
  within('an AWS secret key', 'AWS_SECRET_ACCESS_KEY=%', `${A}/+aB`),
  within('an AWS secret key in an ini file', 'aws_secret_access_key = %', `${A}/+aB`),
  bare('a Google API key', 'AI', 'za', A.slice(0, 35)),
  bare('a Google OAuth token', 'ya', '29.', A),
  bare('a Google client secret', 'GOC', 'SPX-', A.slice(0, 28)),
  within('an Azure storage key', 'DefaultEndpointsProtocol=https;AccountName=x;AccountKey=%;', `${A}${A}ab==`),
  bare('an Azure client secret', 'abc8', 'Q~', A.slice(0, 34)),
  within('an Azure shared signature', 'https://x.blob.core.windows.net/c?sv=2024&sig=%', `${A}%3D`),
  bare('a GitHub personal token', 'gh', 'p_', A),
  bare('a GitHub OAuth token', 'gh', 'o_', A),
  bare('a GitHub server token', 'gh', 's_', A),
  bare('a GitHub fine-grained token', 'github', '_pat_', A, '_', A),
  bare('a GitLab token', 'gl', 'pat-', A.slice(0, 20)),
  bare('an npm token', 'np', 'm_', A),
  within('an npm token in .npmrc', '//registry.example.org/:_authToken=%', '1b2c3d4e-5f60-7182-93a4-b5c6d7e8f901'),
  within('a password in .npmrc', '//registry.example.org/:_password=%', 'aHVudGVyMg=='),
  bare('a PyPI token', 'py', 'pi-AgEI', A, A),
  bare('a Slack bot token', 'xo', 'xb-123456789012-', A),
  bare('a Slack app token', 'xa', 'pp-1-A01-123-', HEX),
  within('a Slack webhook', 'https://hooks.slack.com/services/T01/B02/%', A.slice(0, 24)),
  bare('a Stripe secret key', 'sk', '_live_', A.slice(0, 24)),
  bare('a Stripe restricted key', 'rk', '_live_', A.slice(0, 24)),
  bare('an OpenAI key', 's', 'k-', A, A.slice(0, 12)),
  bare('an OpenAI project key', 's', 'k-proj-', A, '_', A),
  bare('an Anthropic key', 's', 'k-ant-api03-', A, '-', A),
  bare('a SendGrid key', 'S', 'G.', A.slice(0, 22), '.', A, A.slice(0, 7)),
  bare('a Twilio key', 'S', 'K', HEX),
  within('a Twilio token', 'TWILIO_AUTH_TOKEN=%', HEX),
  bare('a Telegram bot token', '1234567890', ':AA', A.slice(0, 33)),
  bare('a Discord bot token', 'M', A.slice(0, 23), '.G1aBcD.', A),
  within('a Discord webhook', 'https://discord.com/api/webhooks/1234567890/%', A),
  bare('a Hugging Face token', 'h', 'f_', A.slice(0, 34)),
  bare('a DigitalOcean token', 'do', 'p_v1_', HEX, HEX),
  bare('a Vault token', 'hv', 's.', A),
  bare('a JSON web token', 'ey', `JhbGciOiJIUzI1NiJ9.`, 'ey', `JzdWIiOiIxMjM0In0.`, A),
  { kind: 'a private key', text: `key:\n${PEM}\nend`, secret: A },
  { kind: 'a private key with escaped line ends', text: JSON.stringify({ private_key: PEM }), secret: A },
  within('a bearer header', 'Authorization: Bearer %', A),
  within('a basic header', '"Authorization": "Basic %"', 'am86aHVudGVyMg=='),
  within('a bearer token in a log', 'sent bearer %', A),
  within('an API key header', "-H 'x-api-key: %'", HEX),
  within('a cookie header', 'Cookie: theme=dark; session=%', A),
  within('a cookie that is set', 'Set-Cookie: session=%; Path=/', A),
  within('a database address', 'postgres://app:%@db.internal:5432/app', 's3cr3t!pw'),
  within('an address with the sample words', 'postgres://user:%@localhost/db', 'password'),
  within('a redis address without a user', 'redis://:%@cache:6379', 'hunter22'),
  within('a password given to curl', 'curl -s -u jo:% https://example.org', 'hunter2'),
  within('an exported password', 'export DB_PASSWORD=%', 'hunter2'),
  within('a quoted password with spaces', 'ADMIN_PASSWORD="%"', 'correct horse battery'),
  within('a short environment password', 'MYSQL_PASS=%', 'letmein'),
  within('a secret in docker compose', '      POSTGRES_PASSWORD: %', 'pgroot'),
  within('a secret key of a framework', 'SECRET_KEY_BASE=%', HEX),
  within('a JSON password', '{"user":"jo","password": "%"}', 'hunter2'),
  within('a JSON API key', '{"apiKey":"%"}', HEX),
  within('a client secret', "client_secret: '%'", 'not-so-very-hidden'),
  within('a password in YAML', 'password: %', 'hunter2'),
  within('a token of a kubeconfig', '    token: %', A),
  within('a client key of a kubeconfig', '    client-key-data: %', `LS0tLS1CRUdJTi${A}`),
  within('a password option', 'login --user jo --password %', 'hunter2'),
  within('a password in XML', '<password>%</password>', 'hunter2'),
  within('a password in SQL', "CREATE USER jo WITH PASSWORD '%';", 'hunter2'),
  within('a password in netrc', 'machine example.org login jo password %', 'hunter2'),
  within('a password in Ruby', ":password => '%'", 'hunter2'),
  within('a password in a connection string', 'Server=x;User ID=sa;Password=%;Timeout=5', 'abc def'),
  within('a password in a Dockerfile', 'ENV DB_PASSWORD %', 'hunter2'),
  within('a password given to mysql', 'mysql -u root -p% app', 'hunter2'),
  within('a password given to sshpass', "sshpass -p '%' ssh host", 'hunter2'),
  within('the login of a container registry', '"auth": "%"', 'dXNlcjpwYXNz'),
  within('a token in a query', 'GET /v1/items?access_token=%&page=2', HEX),
];
