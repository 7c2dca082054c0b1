// One process from nothing to its first vector. Usage: node cold.mjs; says how long it took since the process began.
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { built } from './built.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const [{ loadEmbedder }, { defaultModel }] = await Promise.all([built('embedder'), built('model')]);
const embedder = await loadEmbedder(defaultModel(root));
const [vector] = await embedder.embed(['the first text'], { kind: 'passage' });
const tookMs = performance.now();
if (vector?.length !== 384) throw new Error('no vector came');
process.stdout.write(JSON.stringify({ tookMs, rssMb: process.memoryUsage().rss / 2 ** 20 }));
await embedder.dispose();
