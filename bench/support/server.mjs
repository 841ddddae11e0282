// Starting and stopping the servers that are compared. None outlives this process, and no folder stays behind.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './jsonRpc.mjs'
import { cpuSeconds, residentBytes } from './processes.mjs'

const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 20_000

const children = new Set()
const folders = new Set()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

/** A new folder that is removed with the process at the latest. */
export function temporaryFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'))
  folders.add(folder)
  return folder
}

function removeFolder(folder) {
  fs.rmSync(folder, { recursive: true, force: true })
  folders.delete(folder)
}

/** Resolves with the milliseconds from `began` until a server answers. */
async function firstAnswer(child, port, began, output) {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the server ended early; its last words:\n${output()}`)
    try {
      await call(port, 'eth_blockNumber')
      return performance.now() - began
    } catch {
      if (performance.now() - began > START_LIMIT_MS)
        throw new Error(`no answer on port ${port} after ${START_LIMIT_MS} ms:\n${output()}`)
    }
    await sleep(2)
  }
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  // A paused process takes no other signal.
  child.kill('SIGCONT')
  child.kill('SIGTERM')
  await gone
  clearTimeout(timer)
}

/**
 * Starts a server and waits for its first answer. Its output goes to a file in `folder`, which is removed when it stops.
 * A paused server uses no processor time, so that the one that is measured has the machine for itself.
 */
export async function startServer({ name, command, args, port, folder, cwd, environment }) {
  const logFile = path.join(folder, 'output.log')
  const log = fs.openSync(logFile, 'w')
  const began = performance.now()
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', log, log],
  })
  children.add(child)
  fs.closeSync(log)
  const failed = once(child, 'error').then(([error]) => {
    throw error
  })
  const output = () => fs.readFileSync(logFile, 'utf8').slice(-2000)
  const startMs = await Promise.race([firstAnswer(child, port, began, output), failed])
  return {
    name,
    port,
    folder,
    startMs,
    output,
    pid: child.pid,
    cpuSeconds: () => cpuSeconds(child.pid),
    residentBytes: () => residentBytes(child.pid),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    async stop() {
      await end(child)
      children.delete(child)
      removeFolder(folder)
    },
  }
}
