import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  // Modules beside the repository count with the packages of the repository.
  resolve: { dedupe: ['gpt-tokenizer'] },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    pool: 'forks',
    // Much of the suite waits for processes it started; one worker, the default on two cores, leaves a core idle.
    maxWorkers: 2,
  },
});
export default config;
