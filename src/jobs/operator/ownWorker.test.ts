import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { hasLlamaRuntime, LLAMA_INSTALL_COMMAND } from '../../inference/llamaRuntime.ts'
import { startOwnWorker } from './ownWorker.ts'
import { workerClient } from './workerClient.ts'

const isInstalled = hasLlamaRuntime()
if (!isInstalled)
  process.emitWarning(`skipped, llama.cpp is not installed: run "${LLAMA_INSTALL_COMMAND}"`)

/** Process ids of this process's own worker children. */
function childPids(): readonly number[] {
  const list = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  })
  return list
    .split('\n')
    .filter((line) => line.includes(path.join('worker', 'process.ts')))
    .map((line) => Number.parseInt(line, 10))
}

test.skipIf(!isInstalled)(
  'a worker that dies is started again, and the operator goes on',
  async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-own-worker-'))
    const secretFile = path.join(folder, 'secret.hex')
    const worker = startOwnWorker(
      { host: '127.0.0.1', port: 0, modelsFolder: path.join(folder, 'models'), folder, secretFile },
      pino({ level: 'silent' }),
    )
    const client = workerClient({ url: (signal) => worker.url(signal), secretFile })
    const { signal } = new AbortController()
    expect((await client.status(signal)).models).toEqual(['tiny.gguf'])
    const [pid] = childPids()
    process.kill(pid ?? 0, 'SIGKILL')
    await expect
      .poll(async () => (await client.status(signal)).level, { timeout: 40_000 })
      .toBe('software-insecure')
    expect(childPids()).not.toContain(pid)
    await worker.close()
    expect(childPids()).toEqual([])
  },
)
