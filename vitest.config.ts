import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  // Modules beside the repository count with the packages of the repository.
  resolve: { dedupe: ['gpt-tokenizer'] },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    pool: 'forks',
  },
});
export default config;
