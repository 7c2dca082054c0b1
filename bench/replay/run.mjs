// Sessions through the guard; it stands with the rest of it.
export { run } from '../guard/replay.mjs';
