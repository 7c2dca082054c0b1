import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  // Modules beside the repository count with the packages of the repository.
  resolve: { dedupe: ['gpt-tokenizer'] },
  test: {
    // For what hangs. What takes long on a machine with other work to do is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // Much of the suite waits for processes it started; one worker, the default on two cores, leaves a core idle.
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'behaviour', include: ['test/**/*.test.ts'], exclude: ['test/faults/**'] } },
      // Real processes that are killed, stopped, starved and lied to: minutes, most of them spent waiting, so more workers at once.
      // On a machine with other work to do, each of a dozen processes takes seconds to start.
      {
        extends: true,
        test: {
          name: 'faults',
          testTimeout: 120_000,
          hookTimeout: 120_000,
          include: ['test/faults/**/*.test.ts'],
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
export default config;
