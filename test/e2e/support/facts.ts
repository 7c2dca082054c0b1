/** A session with facts in it that must not be lost, long enough that none of them is in the part that the host keeps. */
import { bash, type Reply } from './replies.ts';
import { textIn, type ModelRequest } from './requests.ts';
import type { Rig } from './rig.ts';
import type { Session } from './session.ts';

/** What must be found again, by the words that give it away. */
export const FACTS = {
  constraint: 'payments_archive',
  'failed approach': '--online-rebuild',
  identifier: 'correlation_id_v2',
  'open task': 'backfill March',
} as const;

export type Fact = keyof typeof FACTS;

const QUIET_TURNS = 4;

/**
 * What is planted, then quiet turns about something else, each with that many rows of output. The newest answer may say that
 * the window is full.
 */
export async function plantFacts({ api }: Rig, session: Session, newest: Reply = {}, rows = 1): Promise<void> {
  api.reply('main', { text: 'Understood, that table stays as it is.' });
  await session.say(`Split the payments table. Never write to ${FACTS.constraint}.`);
  api.reply('main', bash(`echo "migrate ${FACTS['failed approach']}: deadlock detected" >&2; exit 1`), {
    text: `The rebuild deadlocks, so I copy in batches and join them by \`${FACTS.identifier}\`.`,
  });
  await session.say('Try the migration.');
  await session.say(`Good. Later we still have to ${FACTS['open task']}; first the report.`);
  for (let turn = 1; turn <= QUIET_TURNS; turn++) {
    const isLast = turn === QUIET_TURNS;
    api.reply('main', bash(`for i in $(seq ${rows}); do echo "page ${turn} of the report, row $i"; done`), {
      text: `Page ${turn} of the report is set in two columns.`,
      ...(isLast ? newest : {}),
    });
    await session.say(`Lay out page ${turn} of the report.`);
  }
}

/** Which of the facts a model would read in a request. */
export function factsIn(request: ModelRequest): Fact[] {
  const text = textIn(request);
  // Keys of a literal.
  return (Object.keys(FACTS) as Fact[]).filter((fact) => text.includes(FACTS[fact]));
}
