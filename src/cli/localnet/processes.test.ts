import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { sendSignal } from '../../base/processes.ts'
import { homePaths } from '../../config/home.ts'
import { processesOf, signalNode } from './processes.ts'
import { waitFor } from '../../../test/support/waitFor.ts'

const endings: (() => void)[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const end of endings.splice(0)) end()
})

/** A process that its parent, a shell, waits for: once it has ended, its process id is unused. */
async function startWaitedFor(): Promise<number> {
  const shell = spawn('/bin/sh', ['-c', 'sleep 600 & echo $!; wait'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  endings.push(() => void sendSignal(-(shell.pid ?? 0), 'SIGKILL'))
  const [line] = (await once(shell.stdout, 'data')) as [Buffer]
  return Number(line.toString())
}

test.runIf(process.platform === 'linux')(
  'a process of a node that ends between the look and the signal is no failure',
  async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-localnet-'))
    endings.push(() => fs.rmSync(folder, { recursive: true }))
    const home = homePaths(folder)
    fs.mkdirSync(home.data)
    const [node, comet] = [await startWaitedFor(), await startWaitedFor()]
    fs.writeFileSync(home.nodeLock, JSON.stringify({ pid: node, started: '' }))
    fs.writeFileSync(home.cometbftPid, JSON.stringify({ pid: comet, started: '' }))
    const kill = process.kill.bind(process)
    vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      // The race that cannot be observed: the process is gone before its signal is sent.
      if (pid === comet && signal !== 0)
        execFileSync('/bin/sh', [
          '-c',
          `kill -9 ${pid}; while [ -e /proc/${pid} ]; do sleep 0.01; done`,
        ])
      return kill(pid, signal)
    })
    expect(signalNode(home, 'SIGCONT', 'both')).toBe(true)
    expect(processesOf(home)).toEqual([{ pid: node, isStopped: false }])
    expect(signalNode(home, 'SIGKILL', 'both')).toBe(true)
    await waitFor(() => expect(signalNode(home, 'SIGCONT', 'both')).toBe(false))
  },
)
