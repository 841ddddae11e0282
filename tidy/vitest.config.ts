/** The tidy tests read the sources and nothing that a build makes: they run as soon as the packages are installed. */
import path from 'node:path'
import { defineProject } from 'vitest/config'

export default defineProject({
  root: path.resolve(import.meta.dirname, '..'),
  test: {
    name: 'tidy',
    include: ['tidy/**/*.test.ts'],
    testTimeout: 120_000,
  },
})
