import { expect, test } from 'vitest';
import { ProjectCounts } from '../../src/evaluation/guessable.ts';
import { Reading } from '../../src/evaluation/reading.ts';
import { answer } from './session.ts';

test('an identifier is guessable from three projects on, however often it stands in one', () => {
  const counts = new ProjectCounts();
  const see = (project: string, text: string): void => counts.add(project, [answer(text)], new Reading());
  see('/a', 'leaseTime pollEvery');
  see('/a', 'leaseTime pollEvery');
  see('/b', 'leaseTime pollEvery');
  see('/b', 'pollEvery');
  expect(['leaseTime', 'pollEvery'].map((key) => counts.isGuessable(key))).toEqual([false, false]);
  see('/c', 'leaseTime');
  see('/a', 'pollEvery');
  expect(['leaseTime', 'pollEvery', 'unknownName'].map((key) => counts.isGuessable(key))).toEqual([true, false, false]);
});
