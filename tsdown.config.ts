import process from 'node:process';
import { defineConfig, type UserConfig } from 'tsdown';

/** What every hook loads: settings, log, masking, and the way to the daemon. A file fewer to open is a millisecond less to wait. */
const BASE =
  /\/src\/(?:app|errors|wiring\/(?:core|daemon)|terminal\/streams|protocol\/frames|daemon\/(?:client|clip|places|reach|scorer|recaller|waiting|options)|embedding\/(?:choice|model)|(?:hooks|config|platform|redact)\/(?!sqlite-class)[\w-]+)(?<!\.d)\.ts$/;
/** What a compaction loads besides. */
const WORK =
  /\/src\/(?:messages|tokens|scoring|compaction|need|hot|session|transcript|memory)\/[\w-]+(?<!\.d)\.ts$|\/src\/actions\/(?:compact|guide|archive|capture|restore|audit|recall-prompt|hot)\.ts$/;

/**
 * The SDK of MCP checks what a client answers to a form by a validator of its own, three fifths of its code. chitta asks for no forms, and
 * gives the server another validator (src/mcp/server.ts); so the SDK's is left out.
 */
const withoutAjv = {
  name: 'without-ajv',
  resolveId: (source: string): string | undefined =>
    source.endsWith('/validation/ajv-provider.js') ? '\0without-ajv' : undefined,
  load: (id: string): string | undefined =>
    id === '\0without-ajv' ? 'export class AjvJsonSchemaValidator {}' : undefined,
};

// Everything is bundled except llama.cpp's package, and the native part of SQLite's: a user may be without them. `bindings` would look for
// that part; chitta says where it is.
const OUT = process.env['CHITTA_BUILD_TO'] ?? 'dist';

const COMMON = {
  plugins: [withoutAjv],
  outDir: OUT,
  platform: 'node',
  target: 'node20.19',
  dts: false,
  clean: false,
  fixedExtension: true,
  deps: { neverBundle: ['bindings', 'node-llama-cpp'], alwaysBundle: [/.*/] },
} satisfies UserConfig;

const GROUPS = {
  codeSplitting: {
    groups: [
      { name: 'base', test: BASE },
      { name: 'work', test: WORK },
    ],
  },
};

const config: UserConfig[] = defineConfig([
  {
    ...COMMON,
    entry: { cli: 'src/cli.ts', 'ingest-thread': 'src/wiring/ingest-thread.ts' },
    format: 'esm',
    outputOptions: GROUPS,
  },
  // By itself, so that a bundler takes of the library only what is used.
  {
    ...COMMON,
    entry: { index: 'src/index.ts' },
    format: 'esm',
    dts: true,
    outputOptions: { chunkFileNames: 'library-[name]-[hash].mjs' },
  },
  { ...COMMON, entry: { hook: 'src/hook.ts' }, format: 'cjs', outputOptions: { codeSplitting: false } },
  // Chunks of one script; scripts/hook-script.mjs makes it of them.
  {
    ...COMMON,
    entry: { process: 'src/hook-process.ts' },
    format: 'cjs',
    outDir: `${OUT}/hook-chunks`,
    // A third less to read, to hash and to hold. Names stay, for what is logged of a failure.
    outputOptions: { ...GROUPS, minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } } },
  },
]);
export default config;
