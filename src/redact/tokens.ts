/**
 * Secrets that can be told by their own form: the prefixes of clouds, forges, registries and services.
 *
 * Every pattern starts at a boundary and repeats one character class without anything optional before it, so a run of
 * text is scanned once per rule. A rule whose hint does not occur in the text costs one substring search.
 */
import { endsInFiller, maskMark } from './literals.ts';

interface TokenRule {
  readonly kind: string;
  /** One of these occurs in every match; case matters. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
}

/** Not in the middle of a word; the escapes are those of JSON text inside JSON text, where `\n` ends in a letter. */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))`;
const END = '(?![A-Za-z0-9])';

function rule(kind: string, hints: readonly string[], body: string): TokenRule {
  return { kind, hints, pattern: new RegExp(START + body, 'g') };
}

const RULES: readonly TokenRule[] = [
  rule('aws-key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], `(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}${END}`),
  rule('google-key', ['AIza'], 'AIza[A-Za-z0-9_-]{35,}'),
  rule('google-oauth', ['ya29.'], 'ya29\\.[A-Za-z0-9_-]{16,}'),
  rule('google-oauth', ['GOCSPX-'], 'GOCSPX-[A-Za-z0-9_-]{20,}'),
  rule('google-oauth', ['1//0'], '1//0[A-Za-z0-9_-]{30,}'),
  rule('azure-secret', ['Q~'], '[A-Za-z0-9_.-]{3}[0-9]Q~[A-Za-z0-9_.~-]{30,}'),
  rule('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'gh[pousr]_[A-Za-z0-9]{30,}'),
  rule('github-token', ['github_pat_'], 'github_pat_[A-Za-z0-9_]{20,}'),
  rule('gitlab-token', ['gl'], 'gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent)-[A-Za-z0-9_.-]{18,}'),
  rule('bitbucket-token', ['ATBB', 'ATATT', 'ATCTT'], 'AT(?:BB|ATT|CTT)[A-Za-z0-9_=-]{24,}'),
  rule('npm-token', ['npm_'], 'npm_[A-Za-z0-9]{30,}'),
  rule('pypi-token', ['pypi-Ag'], 'pypi-Ag[A-Za-z0-9_-]{30,}'),
  rule('rubygems-token', ['rubygems_'], 'rubygems_[0-9a-f]{40,}'),
  rule('docker-token', ['dckr_'], 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}'),
  rule('slack-token', ['xox'], 'xox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{10,}'),
  rule('slack-token', ['xapp-'], 'xapp-[0-9]-[A-Za-z0-9-]{10,}'),
  rule('stripe-key', ['_live_', '_test_'], '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}'),
  rule('webhook-secret', ['whsec_'], 'whsec_[A-Za-z0-9+/=]{16,}'),
  rule('anthropic-key', ['sk-ant-'], 'sk-ant-[A-Za-z0-9_-]{16,}'),
  rule('openai-key', ['sk-proj-', 'sk-svcacct-', 'sk-admin-'], 'sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{16,}'),
  rule('openai-key', ['sk-or-v'], 'sk-or-v[0-9]-[A-Za-z0-9_-]{20,}'),
  rule('openai-key', ['sk-'], 'sk-(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{20,}'),
  rule('hugging-face-token', ['hf_'], 'hf_[A-Za-z0-9]{30,}'),
  rule('ai-key', ['gsk_', 'r8_', 'pplx-', 'xai-'], '(?:gsk_|r8_|pplx-|xai-)[A-Za-z0-9]{30,}'),
  rule('sendgrid-key', ['SG.'], 'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}'),
  rule('mail-key', ['key-'], `key-[0-9a-f]{32}${END}`),
  rule('mail-key', ['-us'], `[0-9a-f]{32}-us[0-9]{1,2}${END}`),
  rule('twilio-key', ['SK'], `SK[0-9a-f]{32}${END}`),
  rule('telegram-token', [':AA'], '[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}'),
  rule('discord-token', ['.'], '[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}'),
  rule('shopify-token', ['shp'], `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}${END}`),
  rule('digitalocean-token', ['_v1_'], `do[opr]_v1_[0-9a-f]{64}${END}`),
  rule('databricks-token', ['dapi'], `dapi[0-9a-f]{32}(?:-[0-9])?${END}`),
  rule('vault-token', ['hvs.', 'hvb.', 'hvr.'], 'hv[sbr]\\.[A-Za-z0-9_-]{20,}'),
  rule('grafana-token', ['glsa_', 'glc_'], '(?:glsa|glc)_[A-Za-z0-9+/=_-]{30,}'),
  rule('linear-key', ['lin_'], 'lin_(?:api|oauth)_[A-Za-z0-9]{30,}'),
  rule('notion-token', ['ntn_'], 'ntn_[A-Za-z0-9]{40,}'),
  rule('sentry-token', ['sntry'], 'sntry[su]_[A-Za-z0-9+/=_-]{30,}'),
  rule('postman-key', ['PMAK-'], 'PMAK-[0-9a-f]{24}-[0-9a-f]{34}'),
  rule('figma-token', ['figd_'], 'figd_[A-Za-z0-9_-]{30,}'),
  rule('newrelic-key', ['NRAK-'], 'NRAK-[A-Z0-9]{27}'),
  rule('supabase-key', ['sbp_'], 'sbp_[0-9a-f]{40}'),
  rule('age-key', ['AGE-SECRET-KEY-1'], 'AGE-SECRET-KEY-1[A-Z0-9]{40,}'),
  rule('jwt', ['eyJ'], '(?<![_-])eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*'),
];

/** Masks every token that its own form gives away; `onMask` is called once for each. Linear. */
export function maskTokens(text: string, onMask: () => void): string {
  let out = text;
  for (const { kind, hints, pattern } of RULES) {
    if (!hints.some((hint) => out.includes(hint))) continue;
    out = out.replace(pattern, (match) => {
      if (endsInFiller(match)) return match;
      onMask();
      return maskMark(kind);
    });
  }
  return out;
}
