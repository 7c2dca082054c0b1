// The guard as JavaScript, built on the spot: Node 20 reads no TypeScript, and some of what is measured is no option.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsdown';

const root = fileURLToPath(new URL('../../', import.meta.url));
const shape = join('src', 'shaping', 'shape.ts');
const CONSTANT = /HYSTERESIS = ([\d.]+);/;

/** The share that the guard frees beyond what is needed. */
export const hysteresis = Number(CONSTANT.exec(readFileSync(join(root, shape), 'utf8'))[1]);

/** The exports of src/shaping/shape.ts and the estimate it goes by, with `share` freed beyond what is needed. */
export async function builtGuard(share = hysteresis) {
  const outDir = join(root, '.cache', 'bench-guard', String(share));
  await build({
    config: false,
    cwd: root,
    entry: { shape, tokens: 'src/tokens/message.ts', marks: 'src/messages/marks.ts' },
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: true,
    clean: false,
    dts: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'hysteresis',
        transform: (code, id) => (id.endsWith(shape) ? code.replace(CONSTANT, `HYSTERESIS = ${share};`) : undefined),
      },
    ],
  });
  const [{ shapeRequest }, { estimateMessageTokens }, { stripMarks }] = await Promise.all(
    ['shape', 'tokens', 'marks'].map((name) => import(pathToFileURL(join(outDir, `${name}.mjs`)).href)),
  );
  return { shapeRequest, estimateMessageTokens, stripMarks };
}
