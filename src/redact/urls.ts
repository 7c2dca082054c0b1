/** Passwords and tokens that stand in addresses: `scheme://user:password@host`, webhooks, signed links, client programs. */
import { isPlaceholder, looksRandom, maskMark } from './literals.ts';

const AUTHORITY = /:\/\/([^\s/?#@:"'`<>\\[\]]{0,128}):([^\s/?#"'`<>\\]{1,256})@(?=[A-Za-z0-9[$<{])/g;
/** A token in place of a name: `https://<token>@github.com/…`. */
const LONE_TOKEN = /:\/\/([A-Za-z0-9_-]{20,256})@(?=[A-Za-z0-9])/g;
/** A pair of name and password in a program: `auth=('jo', '…')`. */
const PAIR = /(\bauth ?= ?\(\s?["'][^"'\\\n]{1,64}["'], ?["'])([^"'\\\n]{3,128})(?=["'])/g;
const SLACK_HOOK =
  /(hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9]{1,20}\/[A-Za-z0-9]{1,20}\/)[A-Za-z0-9]{8,}/g;
const DISCORD_HOOK = /(discord(?:app)?\.com\/api\/webhooks\/[0-9]{1,24}\/)[A-Za-z0-9_-]{20,}/g;
const SIGNATURE = /([?&](?:sig|X-Amz-Signature|X-Amz-Security-Token|X-Goog-Signature)=)[A-Za-z0-9%/+=_-]{16,}/g;
const CURL_USER = /(curl\b[^\n]{0,300}?\s(?:-u|--user)[ =]["']?[^\s:"'$]{1,64}:)([^\s"'\\]{1,128})/g;

const CLIENTS =
  /((?:sshpass -p ?|redis-cli\b[^\n]{0,100}? -a |mysql(?:dump|admin)?\b[^\n]{0,200}? -p|docker login\b[^\n]{0,200}? (?:-p|--password) )["']?)([^\s"'$<{-][^\s"'\\]{2,128})/g;

/** One of these stands in whatever the patterns below the first two find. */
const MAY_HOLD =
  /hooks\.slack\.com|\/api\/webhooks\/|sig=|X-Amz-S|X-Goog-S|curl|auth|docker login|sshpass|redis-cli|mysql/;

/** Masks the secret part of addresses and leaves the rest; `onMask` is called once for each. Linear. */
export function maskAddresses(text: string, onMask: () => void): string {
  let out = text;
  if (out.includes('://')) {
    out = out.replace(AUTHORITY, (match, user: string, password: string) => {
      if (isPlaceholder(password) && password.toLowerCase() !== 'password' && password.toLowerCase() !== 'secret') {
        return match;
      }
      onMask();
      return `://${user}:${maskMark('url-secret')}@`;
    });
    out = out.replace(LONE_TOKEN, (match, token: string) => {
      if (!looksRandom(token) || !/[0-9]/.test(token)) return match;
      onMask();
      return `://${maskMark('url-secret')}@`;
    });
  }
  if (!MAY_HOLD.test(out)) return out;
  for (const [hint, pattern, kind] of [
    ['hooks.slack.com', SLACK_HOOK, 'webhook'],
    ['/api/webhooks/', DISCORD_HOOK, 'webhook'],
    ['=', SIGNATURE, 'signature'],
  ] as const) {
    if (!out.includes(hint)) continue;
    out = out.replace(pattern, (_, before: string) => {
      onMask();
      return before + maskMark(kind);
    });
  }
  for (const [hint, pattern] of [
    ['curl', CURL_USER],
    ['auth', PAIR],
    ['docker login', CLIENTS],
    ['sshpass', CLIENTS],
    ['redis-cli', CLIENTS],
    ['mysql', CLIENTS],
  ] as const) {
    if (!out.includes(hint)) continue;
    out = out.replace(pattern, (match, before: string, password: string) => {
      if (isPlaceholder(password)) return match;
      onMask();
      return before + maskMark('password');
    });
  }
  return out;
}
