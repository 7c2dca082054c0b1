import { defineConfig, type UserConfig } from 'tsdown';

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
  deps: { neverBundle: ['better-sqlite3', 'node-llama-cpp'], alwaysBundle: [/.*/] },
});
export default config;
