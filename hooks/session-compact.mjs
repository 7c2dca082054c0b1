// The module of Claude Code 2.1.287 and newer; older hosts do not load it. It asks `chitta compact --mod` what survives
// and hands that to the host in place of a summary. On anything odd the host compacts as it always does.

/** Longer than the command's own deadline. */
const WAIT_MS = 5_000;

/** The entry with its changes, without its handle: with it, a resumed session would mix survivors and originals. */
function survivor(original, { text, dropped = [], inputs = {}, results = {} }) {
  const stays = ({ tool_use_id: id }) => !dropped.includes(id);
  // An id may be any text, also the name of what every object has.
  const changed = (texts, id, as) => (Object.hasOwn(texts, id) ? texts[id] : as);
  const { handle: _handle, ...entry } = original;
  const { toolUses = [], toolResults = [] } = entry;
  return {
    ...entry,
    text: text ?? entry.text,
    toolUses: toolUses.filter(stays).map((use) => ({ ...use, input: changed(inputs, use.tool_use_id, use.input) })),
    toolResults: toolResults
      .filter(stays)
      .map((result) => ({ ...result, text: changed(results, result.tool_use_id, result.text) })),
  };
}

/** What stays in the context: the answer's front message, then its survivors. Undefined unless all of it makes sense. */
export function survivorsOf(entries, answer) {
  const { front, survivors } = answer ?? {};
  if (typeof front !== 'string' || front === '' || !Array.isArray(survivors) || survivors.length === 0)
    return undefined;
  const messages = [{ role: 'user', text: front, toolUses: [], toolResults: [] }];
  let before = -1;
  for (const edit of survivors) {
    const index = edit?.index;
    if (!Number.isInteger(index) || index <= before || index >= entries.length) return undefined;
    before = index;
    messages.push(survivor(entries[index], edit));
  }
  return messages;
}

const MEDIA = ['image', 'document', 'pdf', 'audio', 'video'];

/** How many images and documents a tool's result stands for: the host keeps their data to itself. */
function mediaIn(result) {
  const blocks = [
    result,
    ...(Array.isArray(result) ? result : []),
    ...(Array.isArray(result?.content) ? result.content : []),
  ];
  return blocks.filter((block) => MEDIA.includes(block?.type)).length;
}

/** An entry without the second and third copy of each result, which would cost half of the time. */
function brief(entry) {
  const { toolUses, toolResults } = entry;
  const slim = { ...entry };
  if (Array.isArray(toolUses)) slim.toolUses = toolUses.map(({ result: _result, text: _text, ...use }) => use);
  if (Array.isArray(toolResults)) {
    slim.toolResults = toolResults.map(({ result, ...answer }) => ({ ...answer, media: mediaIn(result) }));
  }
  return slim;
}

/** The project's settings hold wherever the session's shell has gone. */
async function projectOf($) {
  try {
    return await $.session.root();
  } catch {
    return $.session.cwd();
  }
}

async function ask($, e) {
  const root = decodeURIComponent(new URL('..', import.meta.url).pathname);
  const request = {
    session: await $.session.id(),
    trigger: e.trigger,
    agent: e.agentId,
    instructions: e.instructions,
    messages: e.messages.map(brief),
  };
  const { stdout, exitCode } = await $.process.run(['sh', `${root}bin/chitta`, 'compact', '--mod'], {
    stdin: JSON.stringify(request),
    timeoutMs: WAIT_MS,
    cwd: await projectOf($),
  });
  return exitCode === 0 ? survivorsOf(e.messages, JSON.parse(stdout)) : undefined;
}

export function register(on) {
  on('session.compact', async ($, e, next) => {
    let messages;
    try {
      messages = await ask($, e);
    } catch {
      // Late, or no answer at all.
    }
    return messages === undefined ? next(e) : { messages };
  });
}
