/** The home of a node of a network, with files of CometBFT missing: one sentence with the reason, and what to do. */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths } from '../../src/config/home.ts'
import { eventually, newHome } from '../support/assay.ts'
import { COMETBFT, hasCometbft } from '../support/cometbft.ts'
import { heightOf } from '../support/networkAudit.ts'
import { startChainNode, stopChainNode } from './node.ts'

const isPresent = hasCometbft()
if (!isPresent) console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

const FLAGS = [
  '--consensus.engine=cometbft',
  `--cometbft=${COMETBFT}`,
  '--p2p.laddr=tcp://127.0.0.1:0',
  '--consensus.block-interval=100ms',
]
const home = newHome()
const data = path.join(home, 'data')

async function start(folder: string) {
  const node = startChainNode(folder, {}, FLAGS)
  const addresses = await node.ready
  return { node, addresses }
}

/** A copy of the home without some files of its data folder. */
function damaged(name: string, ...missing: readonly string[]): string {
  const copy = path.join(path.dirname(home), name)
  fs.cpSync(home, copy, { recursive: true })
  for (const file of missing) fs.rmSync(path.join(copy, 'data', file), { recursive: true })
  return copy
}

beforeAll(async () => {
  if (!isPresent) return
  await completeHome(homePaths(home))
  const { node, addresses } = await start(home)
  if (addresses === undefined) throw new Error((await node.ended).output)
  await eventually(async () => ((await heightOf(addresses.rpc)) >= 5 ? true : undefined))
  await stopChainNode(node)
})
afterAll(() => fs.rmSync(path.dirname(home), { recursive: true, force: true }))

test.runIf(isPresent).each([
  [
    'all of them',
    ['blockstore.db', 'state.db', 'cs.wal'],
    /the state that CometBFT keeps is not that of the chain of this home: its files were removed/,
  ],
  [
    'its blocks',
    ['blockstore.db'],
    /state.db is at height [1-9]\d*, and its blockstore.db at height 0/,
  ],
  ['its state', ['state.db'], /they do not belong together/],
])(
  'where CometBFT misses %s, the node ends with the reason and the remedy',
  async (name, missing, reason) => {
    const { node, addresses } = await start(damaged(name.replaceAll(' ', '-'), ...missing))
    expect(addresses).toBeUndefined()
    const { code, output } = await node.ended
    const last = output.trim().split('\n').at(-1) ?? ''
    expect(code).toBe(1)
    expect(last).toMatch(reason)
    expect(last).toContain('Restore the whole data folder')
    expect(last).not.toContain('.go:')
  },
)

test.runIf(isPresent)(
  'where the chain of the home is gone, CometBFT replays its blocks',
  async () => {
    const { node, addresses } = await start(damaged('chain', 'chain'))
    if (addresses === undefined) throw new Error((await node.ended).output)
    await eventually(async () => ((await heightOf(addresses.rpc)) >= 6 ? true : undefined))
    await stopChainNode(node)
  },
)

test.runIf(isPresent)('without its sign state, a validator does not start', async () => {
  const { node, addresses } = await start(damaged('unsigned', 'priv_validator_state.json'))
  expect(addresses).toBeUndefined()
  const { output } = await node.ended
  expect(output).toContain('priv_validator_state.json')
  expect(fs.existsSync(path.join(data, 'priv_validator_state.json'))).toBe(true)
})
