// The shared prefix of requests; it stands with the rest of the guard.
export { run } from '../guard/prefix.mjs';
