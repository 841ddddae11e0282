import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeHome } from '../cli/newHome.ts'
import { createLog } from '../base/log.ts'
import { dispatcherKeys } from '../config/dispatcher.ts'
import { homePaths, type Home } from '../config/home.ts'
import { loadConfig } from '../config/load.ts'
import { nodeKeys } from '../config/node.ts'
import { startNode, type RunningNode } from './node.ts'

const OTHER = '0x00000000000000000000000000000000000000aa'
const THIRD = '0x00000000000000000000000000000000000000bb'

let home: Home
let node: RunningNode

async function start(): Promise<RunningNode> {
  const config = loadConfig(nodeKeys, {
    file: home.configFile,
    environment: {},
    flags: {
      'json-rpc.address': '127.0.0.1:0',
      'json-rpc.ws-address': '127.0.0.1:0',
      'rpc.laddr': 'tcp://127.0.0.1:0',
      'json-rpc.private': 'open',
      'accounts.unlock-development': 'true',
    },
    otherTables: [dispatcherKeys],
  })
  return await startNode({
    home,
    config,
    log: createLog('node', 'fatal'),
    signal: new AbortController().signal,
    fatal: (error) => {
      throw error
    },
  })
}

beforeAll(async () => {
  home = homePaths(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-settings-')))
  await completeHome(home)
  node = await start()
})
afterAll(async () => {
  await node.close()
  fs.rmSync(home.folder, { recursive: true })
})

async function request(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(node.addresses.rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const body = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (body.error) throw new Error(body.error.message)
  return body.result
}

async function minerOfNextBlock(): Promise<unknown> {
  const [from] = (await request('eth_accounts')) as string[]
  const hash = await request('eth_sendTransaction', { from, to: from })
  for (;;) {
    const receipt = (await request('eth_getTransactionReceipt', hash)) as {
      blockNumber: string
    } | null
    if (receipt !== null) {
      const block = (await request('eth_getBlockByNumber', receipt.blockNumber, false)) as {
        miner: string
      }
      return block.miner
    }
  }
}

test('miner_setEtherbase changes eth_coinbase at once, the next blocks, and may change again', async () => {
  expect(await request('miner_setEtherbase', OTHER)).toBe(true)
  expect(await request('eth_coinbase')).toBe(OTHER)
  expect(await minerOfNextBlock()).toBe(OTHER)
  expect(await request('miner_setEtherbase', THIRD)).toBe(true)
  expect(await minerOfNextBlock()).toBe(THIRD)
})

// Holds D48.
test('the reward address is kept over a restart, and the gas price acts after one', async () => {
  expect(await request('miner_setEtherbase', OTHER)).toBe(true)
  expect(await request('miner_setGasPrice', '0x2540be400')).toBe(true)
  expect(BigInt(String(await request('eth_gasPrice')))).toBeLessThan(10_000_000_000n)
  await node.close()
  node = await start()
  expect(await request('eth_coinbase')).toBe(OTHER)
  expect(BigInt(String(await request('eth_gasPrice')))).toBeGreaterThanOrEqual(10_000_000_000n)
})

test('the node starts with the highest gas price that it was told', async () => {
  const highest = `0x${'f'.repeat(64)}`
  expect(await request('miner_setGasPrice', highest)).toBe(true)
  await node.close()
  node = await start()
  expect(BigInt(String(await request('eth_gasPrice')))).toBeGreaterThanOrEqual(BigInt(highest))
})
