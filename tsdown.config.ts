import { defineConfig, type UserConfig } from 'tsdown';

/** What every hook loads: settings, log, masking, and the way to the daemon. A file fewer to open is a millisecond less to wait. */
const BASE =
  /\/src\/(?:app|errors|wiring\/daemon|terminal\/streams|protocol\/frames|daemon\/(?:client|clip|places|reach|scorer|recaller|waiting|options)|embedding\/(?:choice|model)|(?:hooks|config|platform|redact)\/[\w-]+)(?<!\.d)\.ts$/;
/** What a compaction loads besides. */
const WORK =
  /\/src\/(?:messages|tokens|scoring|compaction|need|hot|session|transcript|memory)\/[\w-]+(?<!\.d)\.ts$|\/src\/actions\/(?:compact|guide|archive|capture|restore|audit|recall-prompt|hot)\.ts$/;

// Everything is bundled except the two native packages, which a user may be without.
const config: UserConfig = defineConfig({
  entry: { cli: 'src/cli.ts', index: 'src/index.ts' },
  outDir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: true,
  clean: true,
  fixedExtension: true,
  outputOptions: {
    codeSplitting: {
      groups: [
        { name: 'base', test: BASE },
        { name: 'work', test: WORK },
      ],
    },
  },
  deps: { neverBundle: ['better-sqlite3', 'node-llama-cpp'], alwaysBundle: [/.*/] },
});
export default config;
