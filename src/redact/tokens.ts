/**
 * Secrets that can be told by their own form: the prefixes of clouds, forges, registries and services.
 *
 * All but a few begin with a literal at the beginning of a word, so that one walk over the beginnings of words serves all
 * rules. Each pattern repeats one character class without anything optional before it: a run of text is scanned once.
 */
import { endsInFiller, maskMark } from './literals.ts';

interface TokenRule {
  readonly kind: string;
  /** Of a pattern that is tried where it is told to look, not searched for. */
  readonly body: string;
  /** The pattern, made when it is first tried: a hook tries a few of them. */
  pattern?: RegExp;
}

/** Not in the middle of a word; the escapes are those of JSON text inside JSON text, where `\n` ends in a letter. */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))`;
const END = '(?![A-Za-z0-9])';

const sticky = (body: string): RegExp => new RegExp(START + body, 'y');

/** Kind, the literals one of which the token begins with (case matters), and its form. */
const RULES: readonly (readonly [kind: string, prefixes: string, body: string])[] = [
  ['aws-key', 'AKIA ASIA ABIA ACCA', `(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}${END}`],
  ['google-key', 'AIza', 'AIza[A-Za-z0-9_-]{35,}'],
  ['google-oauth', 'ya29.', 'ya29\\.[A-Za-z0-9_-]{16,}'],
  ['google-oauth', 'GOCSPX-', 'GOCSPX-[A-Za-z0-9_-]{20,}'],
  ['google-oauth', '1//0', '1//0[A-Za-z0-9_-]{30,}'],
  ['alibaba-key', 'LTAI', `LTAI[A-Za-z0-9]{16,24}${END}`],
  ['github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', 'gh[pousr]_[A-Za-z0-9]{30,}'],
  ['github-token', 'github_pat_', 'github_pat_[A-Za-z0-9_]{20,}'],
  ['gitlab-token', 'gl', 'gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent|oas|ffct)-[A-Za-z0-9_.-]{18,}'],
  ['bitbucket-token', 'ATBB ATATT ATCTT', 'AT(?:BB|ATT|CTT)[A-Za-z0-9_=-]{24,}'],
  ['npm-token', 'npm_', 'npm_[A-Za-z0-9]{30,}'],
  ['pypi-token', 'pypi-Ag', 'pypi-Ag[A-Za-z0-9_-]{30,}'],
  ['rubygems-token', 'rubygems_', 'rubygems_[0-9a-f]{40,}'],
  ['docker-token', 'dckr_', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}'],
  ['cargo-token', 'cio', `cio[A-Za-z0-9]{32}${END}`],
  ['artifactory-token', 'AKCp', 'AKCp[A-Za-z0-9]{60,}'],
  ['slack-token', 'xox', 'xox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{10,}'],
  ['slack-token', 'xapp-', 'xapp-[0-9]-[A-Za-z0-9-]{10,}'],
  ['stripe-key', 'sk_ rk_', '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}'],
  ['webhook-secret', 'whsec_', 'whsec_[A-Za-z0-9+/=]{16,}'],
  ['square-token', 'sq0', 'sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}'],
  ['square-token', 'EAAA', `EAAA[A-Za-z0-9_-]{60}${END}`],
  ['braintree-token', 'access_token$', 'access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}'],
  ['anthropic-key', 'sk-ant-', 'sk-ant-[A-Za-z0-9_-]{16,}'],
  ['openai-key', 'sk-proj- sk-svcacct- sk-admin-', 'sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{16,}'],
  ['openai-key', 'sk-or-v', 'sk-or-v[0-9]-[A-Za-z0-9_-]{20,}'],
  ['openai-key', 'sk-', 'sk-(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{20,}'],
  ['hugging-face-token', 'hf_', 'hf_[A-Za-z0-9]{30,}'],
  ['ai-key', 'gsk_ r8_ pplx- xai-', '(?:gsk_|r8_|pplx-|xai-)[A-Za-z0-9]{30,}'],
  ['sendgrid-key', 'SG.', 'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}'],
  ['mail-key', 'key-', `key-[0-9a-f]{32}${END}`],
  ['mail-key', 'xkeysib-', 'xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}'],
  ['twilio-key', 'SK', `SK[0-9a-f]{32}${END}`],
  ['discord-token', 'M N O', '[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}'],
  ['shopify-token', 'shp', `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}${END}`],
  ['digitalocean-token', 'dop_ doo_ dor_', `do[opr]_v1_[0-9a-f]{64}${END}`],
  ['heroku-key', 'HRKU-', 'HRKU-[A-Za-z0-9_-]{30,}'],
  ['netlify-token', 'nfp_', 'nfp_[A-Za-z0-9]{36,}'],
  ['fly-token', 'fm2_ fo1_', '(?:fm2|fo1)_[A-Za-z0-9+/=_-]{40,}'],
  ['databricks-token', 'dapi', `dapi[0-9a-f]{32}(?:-[0-9])?${END}`],
  ['planetscale-token', 'pscale_', 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}'],
  ['vault-token', 'hvs. hvb. hvr.', 'hv[sbr]\\.[A-Za-z0-9_-]{20,}'],
  ['doppler-token', 'dp.', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9_.-]{40,}'],
  ['pulumi-token', 'pul-', `pul-[0-9a-f]{40}${END}`],
  ['tailscale-key', 'tskey-', 'tskey-[a-z]{1,12}-[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}'],
  ['circleci-token', 'CCIPAT_ CCIPRJ_', 'CCIP(?:AT|RJ)_[A-Za-z0-9]{10,}_[0-9a-f]{40}'],
  ['buildkite-token', 'bkua_', `bkua_[0-9a-f]{40}${END}`],
  ['grafana-token', 'glsa_ glc_', '(?:glsa|glc)_[A-Za-z0-9+/=_-]{30,}'],
  ['dynatrace-token', 'dt0', 'dt0[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}'],
  ['linear-key', 'lin_', 'lin_(?:api|oauth)_[A-Za-z0-9]{30,}'],
  ['notion-token', 'ntn_', 'ntn_[A-Za-z0-9]{40,}'],
  ['airtable-token', 'pat', 'pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}'],
  ['sentry-token', 'sntry', 'sntry[su]_[A-Za-z0-9+/=_-]{30,}'],
  ['sonar-token', 'sqp_ squ_ sqa_', `sq[pua]_[0-9a-f]{40}${END}`],
  ['sourcegraph-token', 'sgp_', 'sgp_(?:[A-Za-z0-9]{1,16}_)?[0-9a-f]{40}'],
  ['postman-key', 'PMAK-', 'PMAK-[0-9a-f]{24}-[0-9a-f]{34}'],
  ['figma-token', 'figd_', 'figd_[A-Za-z0-9_-]{30,}'],
  ['newrelic-key', 'NRAK-', 'NRAK-[A-Z0-9]{27}'],
  ['supabase-key', 'sbp_', 'sbp_[0-9a-f]{40}'],
  ['supabase-key', 'sb_', 'sb_secret_[A-Za-z0-9_-]{20,}'],
  ['onepassword-token', 'ops_', 'ops_eyJ[A-Za-z0-9+/=_-]{40,}'],
  ['age-key', 'AGE-SECRET-KEY-1', 'AGE-SECRET-KEY-1[A-Z0-9]{40,}'],
  ['jwt', 'eyJ', '(?<![_-])eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*'],
];

/** Those that are known by what stands in the middle: so many characters before it they begin, the most first. */
const INNER: readonly (TokenRule & { readonly inner: string; readonly before: readonly number[] })[] = [
  {
    kind: 'azure-secret',
    inner: 'Q~',
    before: [4],
    body: '[A-Za-z0-9_.-]{3}[0-9]Q~[A-Za-z0-9_.~-]{30,}',
  },
  { kind: 'mail-key', inner: '-us', before: [32], body: `[0-9a-f]{32}-us[0-9]{1,2}${END}` },
  { kind: 'telegram-token', inner: ':AA', before: [10, 9, 8], body: '[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}' },
  {
    kind: 'terraform-token',
    inner: '.atlasv1.',
    before: [14],
    body: '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,}',
  },
];

type Prefixed = TokenRule & { readonly prefix: string };

const PREFIXED: readonly Prefixed[] = RULES.flatMap(([kind, prefixes, body]) =>
  prefixes.split(' ').map((prefix) => ({ kind, prefix, body })),
);

const ASCII = 128;

/** Places in LISTS by the first two characters: of the rules whose prefixes begin so. A prefix of one character stands under all second ones. */
const LIST_OF_TWO: Uint16Array = new Uint16Array(ASCII * ASCII);
/** Rules in the order of RULES; the first is the list of what begins no token. */
const LISTS: Prefixed[][] = [[]];
for (const rule of PREFIXED) {
  const [first, second] = [rule.prefix.charCodeAt(0) * ASCII, rule.prefix.charCodeAt(1)];
  const [from, to] = Number.isNaN(second) ? [first, first + ASCII] : [first + second, first + second + 1];
  for (let place = from; place < to; place += 1) {
    if (LIST_OF_TWO[place] === 0) LIST_OF_TWO[place] = LISTS.push([]) - 1;
    LISTS[LIST_OF_TWO[place] ?? 0]?.push(rule);
  }
}

/** What a UTF-16 unit is to the walk. All 65,536, so that every look is within the table. */
const [OTHER, IN_WORD, MAY_BEGIN] = [0, 1, 2];
const CLASSES: Uint8Array = new Uint8Array(0x10000);
for (let code = 0; code < ASCII; code += 1) {
  if (/[A-Za-z0-9]/.test(String.fromCharCode(code))) CLASSES[code] = IN_WORD;
}
for (const { prefix } of PREFIXED) CLASSES[prefix.charCodeAt(0)] = MAY_BEGIN;

const BACKSLASH = 0x5c;
const [LETTER_N, LETTER_R, LETTER_T] = [0x6e, 0x72, 0x74];

function endAt(text: string, rule: TokenRule, start: number): number {
  const pattern = (rule.pattern ??= sticky(rule.body));
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The tokens that begin with a literal, in one walk. */
function maskPrefixed(text: string, onMask: () => void): string {
  const parts: string[] = [];
  let done = 0;
  let inWord = false;
  const { length } = text;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    const found = CLASSES[code];
    if (found === OTHER) {
      inWord = false;
      continue;
    }
    // Most of a text is this: the rest of a word.
    if (inWord) continue;
    // The letter of an escape may be the end of a word as well: what follows it begins one for itself.
    inWord = !((code === LETTER_N || code === LETTER_R || code === LETTER_T) && text.charCodeAt(at - 1) === BACKSLASH);
    const list = found === MAY_BEGIN ? LIST_OF_TWO[code * ASCII + text.charCodeAt(at + 1)] : undefined;
    if (list === undefined || list === 0) continue;
    for (const rule of LISTS[list] ?? []) {
      if (!text.startsWith(rule.prefix, at)) continue;
      const end = endAt(text, rule, at);
      if (end < 0 || endsInFiller(text.slice(at, end))) continue;
      parts.push(text.slice(done, at), maskMark(rule.kind));
      onMask();
      done = end;
      at = end - 1;
      inWord = true;
      break;
    }
  }
  if (done === 0) return text;
  parts.push(text.slice(done));
  return parts.join('');
}

function maskInner(text: string, rule: (typeof INNER)[number], onMask: () => void): string {
  let at = text.indexOf(rule.inner);
  if (at < 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (; at >= 0; at = text.indexOf(rule.inner, Math.max(at + 1, done))) {
    for (const before of rule.before) {
      const start = at - before;
      const end = start < done ? -1 : endAt(text, rule, start);
      if (end < 0 || endsInFiller(text.slice(start, end))) continue;
      parts.push(text.slice(done, start), maskMark(rule.kind));
      onMask();
      done = end;
      break;
    }
  }
  if (done === 0) return text;
  parts.push(text.slice(done));
  return parts.join('');
}

/** Masks every token that its own form gives away; `onMask` is called once for each. Linear. */
export function maskTokens(text: string, onMask: () => void): string {
  let out = maskPrefixed(text, onMask);
  for (const rule of INNER) out = maskInner(out, rule, onMask);
  return out;
}
