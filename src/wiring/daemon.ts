/**
 * Joins the daemon to the program: reaching it, running it, and what a person does with it. Hooks reach it; what only commands need
 * is imported by them.
 */
import type { DaemonPort } from '../actions/daemon.ts';
import type { PromptAnswer, PromptQuestion } from '../actions/recall-prompt.ts';
import type { FindSimilar, FindSimilarTurns } from '../actions/recall.ts';
import { connect } from '../daemon/client.ts';
import type { ControlOptions } from '../daemon/control.ts';
import { endpointOf } from '../daemon/places.ts';
import { reachDaemon } from '../daemon/reach.ts';
import { createRecaller } from '../daemon/recaller.ts';
import { createScorer } from '../daemon/scorer.ts';
import { resolveModel } from '../embedding/choice.ts';
import type { ModelSpec } from '../embedding/model.ts';
import type { Env } from '../platform/env.ts';
import { packageRoot } from '../platform/native.ts';
import type { Scorer } from '../ports/scores.ts';

/** Turns of a transcript that a compaction looks at, and so worth embedding ahead of time. */
const FOLLOWED_TURNS = 60;

export interface DaemonPlaces {
  readonly env: Env;
  readonly home: string;
  readonly cwd: string;
  readonly log: (line: string) => void;
  /** chitta's own version: a daemon gives way to a newer one. */
  readonly version: string;
}

function placed({ env, home, cwd, version }: DaemonPlaces): { model: ModelSpec; options: ControlOptions } {
  const root = packageRoot();
  const { model } = resolveModel(env, { home, root }, cwd);
  const endpoint = endpointOf({ env, home, model: model.id });
  const command = [process.execPath, `${root}/dist/cli.mjs`, 'daemon', 'run'] as const;
  return { model, options: { endpoint, home, env, command, build: version } };
}

async function textsOf(path: string): Promise<string[]> {
  const [{ readTranscript }, { searchTextOf }, { viewOf }] = await Promise.all([
    import('../transcript/index.ts'),
    import('../messages/search-text.ts'),
    import('../messages/view.ts'),
  ]);
  const { messages } = await readTranscript(path, { last: FOLLOWED_TURNS });
  return messages.map((message) => searchTextOf(viewOf(message)));
}

/** Vectors are optional at every moment: what goes wrong on the way to them, such as a model that is gone, is a line in the log. */
function orUndefined<Question extends unknown[], Answer>(
  log: (line: string) => void,
  ask: (...question: Question) => Promise<Answer | undefined>,
): (...question: Question) => Promise<Answer | undefined> {
  return (...question) =>
    ask(...question).catch((error: unknown) => {
      log(`error: no vectors: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    });
}

/** Scores from the daemon; where there is none, one is started in the background and this time goes without. */
export function daemonScorer(at: DaemonPlaces): Scorer {
  return {
    score: orUndefined(at.log, async (request) => {
      const { options } = placed(at);
      return createScorer(reachDaemon({ ...options, log: at.log }), at.log).score(request);
    }),
  };
}

/** Memories by meaning, from the daemon. */
export function daemonSimilar(at: DaemonPlaces): FindSimilar {
  return orUndefined(at.log, async (...question) => {
    const { options } = placed(at);
    return createRecaller(reachDaemon({ ...options, log: at.log }), at.log).similar(...question);
  });
}

/** Archived turns by meaning, from the daemon. */
export function daemonSimilarTurns(at: DaemonPlaces): FindSimilarTurns {
  return orUndefined(at.log, async (...question) => {
    const { options } = placed(at);
    return createRecaller(reachDaemon({ ...options, log: at.log }), at.log).similarTurns(...question);
  });
}

/** The answer to a prompt from the daemon, which follows the transcript from then on; undefined where there is none in time. */
export function daemonPrompt(
  at: DaemonPlaces,
  question: PromptQuestion & { readonly transcript: string | undefined },
): Promise<PromptAnswer | undefined> {
  return orUndefined(at.log, async () => {
    const { options } = placed(at);
    return createRecaller(reachDaemon({ ...options, log: at.log }), at.log).forPrompt(question);
  })();
}

/** Time for saying what is to be followed; the daemon need not be there yet. */
const FOLLOW_MS = 300;

/** Has a transcript followed, or no longer. Where there is no daemon, one is started that does; nobody waits for it. Never rejects. */
export async function daemonFollow(at: DaemonPlaces, path: string, session: string, stop = false): Promise<void> {
  await orUndefined(at.log, async () => {
    const { options } = placed(at);
    const connection = await connect(options.endpoint, options.build, FOLLOW_MS);
    if (connection.state === 'connected') {
      await connection.call('follow', { path, session, stop }, FOLLOW_MS);
      connection.close();
    } else if (connection.reason === 'none' && !stop) {
      const { startDaemon } = await import('../daemon/start.ts');
      await startDaemon({ ...options, command: [...options.command, '--follow', path] });
    }
    return undefined;
  })();
}

/** The daemon as `chitta daemon` deals with it. */
export async function daemonPort(at: DaemonPlaces): Promise<DaemonPort> {
  const { model, options } = placed(at);
  const { daemonControl } = await import('../daemon/control.ts');
  const control = daemonControl(options);
  return {
    ...control,
    warm: async (path, onStep) => control.warm(await textsOf(path), onStep),
    run: async ({ idleMs, follow, onReady, onLog }) => {
      const [{ runDaemon }, { recall }, { recallForPrompt }, { recalledRows }] = await Promise.all([
        import('../daemon/run.ts'),
        import('../actions/recall.ts'),
        import('../actions/recall-prompt.ts'),
        import('../actions/memory-json.ts'),
      ]);
      return runDaemon({
        env: at.env,
        home: at.home,
        build: options.build,
        model,
        readTexts: textsOf,
        recall: async (store, request, ...similar) => recalledRows((await recall(store, request, ...similar)).found),
        recallForPrompt,
        follow,
        log: (line) => {
          at.log(line);
          onLog(line);
        },
        idleMs,
        onReady,
      });
    },
  };
}
