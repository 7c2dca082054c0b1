/** What a host's summary lost of what was in use, by rule: names that do not stand in it, and constraints that it does not say. */
import type { Message } from '../messages/types.ts';
import { identifiersOf } from '../need/identifiers.ts';
import type { Audit } from '../ports/episodes.ts';
import { factsOf } from '../scoring/facts.ts';
import { namesInUse } from './names-in-use.ts';
import { snapshotOf } from './snapshot.ts';

const MAX_NAMES = 60;
/** A constraint is kept if the summary has so many of its telling words, and each of its names and numbers. */
const KEPT_SHARE = 0.6;

/** What of a model's reply goes into the context: the summary itself, without what the model wrote to think about it. */
export function summaryOf(reply: string): string {
  const open = reply.indexOf('<summary>');
  if (open >= 0) {
    const close = reply.lastIndexOf('</summary>');
    return reply.slice(open + '<summary>'.length, close > open ? close : undefined);
  }
  const end = reply.lastIndexOf('</analysis>');
  return end < 0 ? reply : reply.slice(end + '</analysis>'.length);
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Compares a summary with the messages for which it stands. Names and constraints are masked and clipped. Linear. */
export function auditSummary(messages: readonly Message[], reply: string): Audit {
  const summary = summaryOf(reply);
  const lower = summary.toLowerCase();
  const keys = new Set(summary.split('\n').flatMap((line) => identifiersOf(line).map(({ key }) => key)));
  const { files, limits } = snapshotOf(messages);
  const names = [...new Set([...files.map(({ path }) => path), ...namesInUse(messages, MAX_NAMES)])];
  const isNamed = (name: string): boolean =>
    keys.has(name) || lower.includes(name.toLowerCase()) || lower.includes(baseName(name).toLowerCase());
  const { stems } = factsOf(summary);
  const isSaid = (constraint: string): boolean => {
    const facts = factsOf(constraint);
    const said = [...facts.stems].filter((stem) => stems.has(stem)).length;
    const exact = [...facts.names, ...facts.quantities.map(({ value }) => value)];
    return said >= KEPT_SHARE * facts.stems.size && exact.every((one) => lower.includes(one.toLowerCase()));
  };
  return {
    identifiers: { checked: names.length, lost: names.filter((name) => !isNamed(name)) },
    constraints: { checked: limits.length, lost: limits.filter((limit) => !isSaid(limit)) },
  };
}
