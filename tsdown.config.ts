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
  external: ['better-sqlite3', 'node-llama-cpp'],
  noExternal: [/.*/],
});
export default config;
