/**
 * The same blocks give the same roots, receipts and app hashes: after restarts at random heights, whether they were
 * proposals before or not, and on another version of Node.
 *
 * ASSAY_DETERMINISM_BLOCKS says how many blocks, ASSAY_SECOND_NODE which other Node executes them too.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runRandomChain, type Road } from './randomChain.ts'

const BLOCKS = Number(process.env.ASSAY_DETERMINISM_BLOCKS ?? 300)
const SECOND_NODE = process.env.ASSAY_SECOND_NODE
/** Where the run under the second Node leaves its digest. */
const OUT = process.env.ASSAY_DETERMINISM_OUT
const TIMEOUT = 3_600_000

const STRAIGHT: Road = { seed: 1, restarts: 0, proposals: 0 }
const BUMPY: Road = { seed: 2, restarts: 20, proposals: 60 }

let straight: ReturnType<typeof runRandomChain> | undefined
const runStraight = () => (straight ??= runRandomChain(BLOCKS, STRAIGHT))

test(
  'random blocks give one chain of roots, whatever happens to the process',
  async () => {
    const expected = await runStraight()
    console.log(`${process.version}, ${BLOCKS} blocks: ${JSON.stringify(expected)}`)
    if (OUT !== undefined) {
      fs.writeFileSync(OUT, expected.digest)
      return
    }
    expect(expected.failed).toBeGreaterThan(BLOCKS / 10)
    expect(expected.refused).toBeGreaterThan(BLOCKS / 50)
    expect(expected.updates).toBeGreaterThan(0)
    const bumpy = await runRandomChain(BLOCKS, BUMPY)
    expect(bumpy.restarts).toBeGreaterThan(BLOCKS / 100)
    expect({ ...bumpy, restarts: 0 }).toEqual(expected)
  },
  TIMEOUT,
)

test.skipIf(OUT !== undefined || SECOND_NODE === undefined)(
  'another version of Node gives the same chain of roots',
  async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-second-node-'))
    try {
      const out = path.join(folder, 'digest')
      const version = execFileSync(SECOND_NODE ?? '', ['--version'], { encoding: 'utf8' }).trim()
      expect(version).not.toBe(process.version)
      const vitest = path.resolve('node_modules/vitest/vitest.mjs')
      const args = [vitest, 'run', '--project', 'long', 'test/determinism']
      execFileSync(SECOND_NODE ?? '', args, {
        env: { ...process.env, ASSAY_DETERMINISM_OUT: out },
        stdio: 'inherit',
      })
      expect(fs.readFileSync(out, 'utf8')).toBe((await runStraight()).digest)
    } finally {
      fs.rmSync(folder, { recursive: true, force: true })
    }
  },
  TIMEOUT,
)

if (SECOND_NODE === undefined && OUT === undefined)
  console.warn(
    'ASSAY_SECOND_NODE is not set: the chain is not compared with another version of Node',
  )
