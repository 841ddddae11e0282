// Holds D89, D90.
/** Stores whose file ends too early, whose disk is full, or whose memory cannot be read: each ends with a sentence. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths, type Home } from '../../src/config/home.ts'
import { newHome, runAssay } from '../support/assay.ts'
import { openManualNode, writerTransaction } from '../support/manualNode.ts'
import { startChainNode } from './node.ts'

const EXIT_DAMAGED = 65
const canMount = process.platform === 'linux' && process.getuid?.() === 0

let home: Home
beforeEach(async () => {
  home = homePaths(newHome())
  await completeHome(home)
})
afterEach(() => fs.rmSync(path.dirname(home.folder), { recursive: true, force: true }))

async function makeBlocks(): Promise<void> {
  const node = openManualNode(home.folder)
  for (let nonce = 0; nonce < 5; nonce++) {
    await node.pool.add(writerTransaction(nonce))
    await node.engine.produceBlock()
  }
  await node.stop()
}

/** Lines for people: no logs. */
const sentences = (output: string) =>
  output.split('\n').filter((line) => line !== '' && !line.startsWith('{'))

test('a running node whose file is cut ends with a sentence and exit code 65, without a stack', async () => {
  const node = startChainNode(home.folder)
  expect(await node.ready).toBeDefined()
  const file = path.join(home.chainStore, 'data.mdb')
  fs.truncateSync(file, 3 * 4096)
  const { code, signal, output } = await node.ended
  expect(signal).toBeNull()
  expect(code).toBe(EXIT_DAMAGED)
  expect(output).toContain("the store's file is damaged")
  expect(output).not.toContain('    at ')
})

test.each(['check', 'rollback', 'export'])(
  'a signal of memory that ends node %s is explained, with exit code 65',
  async (command) => {
    await makeBlocks()
    const fault = `if (process.env.ASSAY_GUARDED === '1') process.kill(process.pid, 'SIGBUS')`
    const { code, output } = await runAssay(['node', command, '--home', home.folder], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}`,
    })
    expect(code).toBe(EXIT_DAMAGED)
    expect(sentences(output)).toEqual([
      "Error: the store's file is damaged or its disk fails: SIGBUS ended the process",
      `Check the disk, then run: assay node check --home ${home.folder}`,
    ])
  },
)

test.runIf(canMount)(
  'on a full disk node check says so, and does not end by a signal',
  async () => {
    await makeBlocks()
    const disk = path.join(path.dirname(home.folder), 'disk')
    fs.mkdirSync(disk)
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk], {
      encoding: 'utf8',
    })
    expect(mounted.stderr).toBe('')
    try {
      const there = path.join(disk, 'home')
      fs.cpSync(home.folder, there, { recursive: true })
      fs.rmSync(path.join(homePaths(there).chainStore, 'lock.mdb'))
      const filler = fs.openSync(path.join(disk, 'filler'), 'w')
      expect(() => {
        for (;;) fs.writeSync(filler, new Uint8Array(4096))
      }).toThrow('ENOSPC')
      fs.closeSync(filler)
      const { code, output } = await runAssay(['node', 'check', '--home', there])
      expect(code).toBe(1)
      expect(output).toContain('its disk is full')
    } finally {
      spawnSync('umount', [disk])
    }
  },
)
