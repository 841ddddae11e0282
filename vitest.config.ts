import { defineConfig } from 'vitest/config'
import { contractTable } from './web/build/contractTable.ts'
import { signatureTable } from './web/build/signatureTable.ts'

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [signatureTable(), contractTable()],
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'web/**/*.test.ts'],
          globalSetup: ['test/support/temporaryFolder.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // Most of the time of a small file would be spent on a process of its own and on loading the same modules.
          isolate: false,
          unstubEnvs: true,
          unstubGlobals: true,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/temporaryFolder.ts', 'test/support/globalSetup.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'long',
          include: ['test/{clients,determinism,simulation,torture}/**/*.test.ts'],
          globalSetup: ['test/support/temporaryFolder.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/support/temporaryFolder.ts'],
          testTimeout: 240_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'vectors',
          include: ['test/vectors/**/*.test.ts'],
          globalSetup: ['test/support/temporaryFolder.ts'],
          testTimeout: 600_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
