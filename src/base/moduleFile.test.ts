import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { moduleFile } from './moduleFile.ts'

/** A folder with a thread that says what another module of the folder exports. */
function folderWithThread(): { readonly thread: URL; writeWord(source: string): void } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-module-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  fs.writeFileSync(
    path.join(folder, 'thread.ts'),
    `import { parentPort } from 'node:worker_threads'
     import { word } from './word.ts'
     const message: { readonly word: string } = { word }
     parentPort?.postMessage(message)`,
  )
  return {
    thread: moduleFile(pathToFileURL(path.join(folder, 'thread'))),
    writeWord: (source) => fs.writeFileSync(path.join(folder, 'word.ts'), source),
  }
}

test('a thread of a test runs what the sources say now, without a build', async () => {
  const { thread, writeWord } = folderWithThread()
  for (const word of ['first', 'second']) {
    writeWord(`export const word: string = '${word}'`)
    const worker = new Worker(thread)
    expect(await once(worker, 'message')).toEqual([{ word }])
  }
})

test('an error in a thread of a test tells its line of the source', async () => {
  const { thread, writeWord } = folderWithThread()
  writeWord(`type Word = string\n\n// A comment.\nexport const word: Word = null.word`)
  const worker = new Worker(thread)
  const [error] = (await once(worker, 'error')) as [Error]
  expect(error.stack).toMatch(/word\.ts:4:\d+/)
})
