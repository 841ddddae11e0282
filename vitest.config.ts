import { defineConfig } from 'vitest/config'
import { contractTable } from './web/build/contractTable.ts'
import { signatureTable } from './web/build/signatureTable.ts'

/** Limits that guard against hanging alone: on a busy machine everything takes ten times as long, and nothing is wrong then. */
const HANG = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
}

/** Threads and processes that tests start from sources run them as they are, not as they were last built. */
const execArgv = [
  '--import',
  new URL('./test/support/typescript/registerForSources.mjs', import.meta.url).href,
]

export default defineConfig({
  test: {
    projects: [
      './tidy/vitest.config.ts',
      {
        plugins: [signatureTable(), contractTable()],
        test: {
          name: 'unit',
          execArgv,
          include: [
            'src/**/*.test.ts',
            'web/**/*.test.ts',
            'scripts/**/*.test.ts',
            'test/deploy/**/*.test.ts',
          ],
          globalSetup: ['test/support/freshBuild.ts', 'test/support/temporaryFolder.ts'],
          ...HANG,
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
          execArgv,
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: [
            'test/support/freshBuild.ts',
            'test/support/temporaryFolder.ts',
            'test/support/globalSetup.ts',
          ],
          ...HANG,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'ways',
          include: ['test/ways/**/*.test.ts'],
          globalSetup: ['test/support/freshBuild.ts', 'test/support/temporaryFolder.ts'],
          ...HANG,
          fileParallelism: false,
          sequence: { groupOrder: 5 },
        },
      },
      {
        test: {
          name: 'long',
          execArgv,
          include: ['test/{adversary,clients,determinism,recipes,simulation,torture}/**/*.test.ts'],
          globalSetup: ['test/support/freshBuild.ts', 'test/support/temporaryFolder.ts'],
          ...HANG,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'browser',
          execArgv,
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/support/freshBuild.ts', 'test/support/temporaryFolder.ts'],
          ...HANG,
          testTimeout: 240_000,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'vectors',
          execArgv,
          include: ['test/vectors/**/*.test.ts'],
          globalSetup: ['test/support/freshBuild.ts', 'test/support/temporaryFolder.ts'],
          testTimeout: 600_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
