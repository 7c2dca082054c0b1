import { join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const here: string = import.meta.dirname;

// One session of the host at a time: it takes a processor for itself, and some tests measure time.
const config: ViteUserConfig = defineConfig({
  root: join(here, '..', '..'),
  test: {
    include: ['test/e2e/**/*.e2e.ts'],
    globalSetup: [join(here, 'support', 'plugin.ts')],
    testTimeout: 300_000,
    hookTimeout: 30_000,
    pool: 'forks',
    fileParallelism: false,
    reporters: ['verbose'],
    tags: [{ name: 'ci', description: 'told on every build; the other scenarios only by hand' }],
  },
});
export default config;
