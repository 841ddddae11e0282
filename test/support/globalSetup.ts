/** One running system for all end-to-end tests that do not need one of their own. */
import fs from 'node:fs'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { newHome, startAssay, type UpFile } from './assay.ts'

declare module 'vitest' {
  interface ProvidedContext {
    up: UpFile
    home: string
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = newHome()
  const running = await startAssay(home, ['--metrics.address=127.0.0.1:0'])
  project.provide('up', running.up)
  project.provide('home', home)
  return async () => {
    await running.stop()
    fs.rmSync(path.dirname(home), { recursive: true, force: true })
  }
}
