import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {
  createWalletClient,
  defineChain,
  http,
  parseEther,
  publicActions,
  testActions,
  type Address,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compile } from '../../test/support/compile.ts'
import { developmentKeys } from '../accounts/development.ts'
import { toHex } from '../base/hex.ts'
import { createLog } from '../base/log.ts'
import { completeHome } from '../cli/newHome.ts'
import { homePaths, type Home } from '../config/home.ts'
import { loadConfig } from '../config/load.ts'
import { nodeKeys } from '../config/node.ts'
import { startNode, type RunningNode } from './node.ts'

const alice = privateKeyToAccount(toHex(developmentKeys()[0] ?? new Uint8Array(0)))
const STRANGER: Address = '0x00000000000000000000000000000000000a11ce'

let home: Home
let node: RunningNode
beforeAll(async () => {
  home = homePaths(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-pending-')))
  await completeHome(home, {}, { isDevelopment: true })
  const flags = {
    'dev.enable': true,
    'json-rpc.address': '127.0.0.1:0',
    'json-rpc.ws-address': '127.0.0.1:0',
    'rpc.laddr': 'tcp://127.0.0.1:0',
  }
  node = await startNode({
    home,
    config: loadConfig(nodeKeys, {
      file: path.join(home.folder, 'none.toml'),
      environment: {},
      flags,
    }),
    log: createLog('test', 'silent'),
    signal: new AbortController().signal,
    fatal(error) {
      throw error
    },
  })
})
afterAll(async () => {
  await node.close()
  fs.rmSync(home.folder, { recursive: true, force: true })
})

function client() {
  const chain = defineChain({
    id: 271_828,
    name: 'Assay',
    nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
    rpcUrls: { default: { http: [`${node.addresses.rpc}/ethereum`] } },
  })
  const transport = http(undefined, { retryCount: 0 })
  return createWalletClient({ chain, transport, account: alice, cacheTime: 0 })
    .extend(publicActions)
    .extend(testActions({ mode: 'hardhat' }))
}

// Holds D61.
test('the block that is made next is the one that pending showed', async () => {
  const chain = client()
  await chain.setAutomine(false)
  const token = compile('Token')
  const nonce = await chain.getTransactionCount({ address: alice.address })
  await chain.deployContract({ ...token, args: [1000n], nonce, gas: 2_000_000n })
  await chain.sendTransaction({ to: STRANGER, value: parseEther('1'), nonce: nonce + 1 })
  const last = await chain.getBlock()
  await chain.setNextBlockTimestamp({ timestamp: last.timestamp + 1000n })
  const shown = await chain.getBlock({ blockTag: 'pending', includeTransactions: true })
  expect(shown).toMatchObject({ number: last.number + 1n, hash: null, nonce: null, miner: null })
  expect(shown.transactions).toHaveLength(2)
  expect(await chain.getBalance({ address: STRANGER })).toBe(0n)
  expect(await chain.getBalance({ address: STRANGER, blockTag: 'pending' })).toBe(parseEther('1'))
  expect(await chain.getTransactionCount({ address: alice.address, blockTag: 'pending' })).toBe(
    nonce + 2,
  )

  await chain.mine({ blocks: 1 })
  const made = await chain.getBlock()
  const facts = [
    'number',
    'timestamp',
    'parentHash',
    'stateRoot',
    'transactionsRoot',
    'receiptsRoot',
    'logsBloom',
    'gasUsed',
    'baseFeePerGas',
    'size',
  ] as const
  for (const fact of facts) expect([fact, shown[fact]]).toEqual([fact, made[fact]])
  expect(made.transactions).toEqual(shown.transactions.map(({ hash }) => hash))
})

// Holds D61.
test('pending shows at once what was set for the next block', async () => {
  const chain = client()
  const read = () => chain.getBlock({ blockTag: 'pending' })
  const first = (await read()).timestamp + 5000n
  await chain.setNextBlockTimestamp({ timestamp: first })
  expect((await read()).timestamp).toBe(first)
  await chain.setNextBlockTimestamp({ timestamp: first + 1n })
  await chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 777n })
  expect(await read()).toMatchObject({ timestamp: first + 1n, baseFeePerGas: 777n })
  await chain.mine({ blocks: 1 })
  expect(await chain.getBlock()).toMatchObject({ timestamp: first + 1n, baseFeePerGas: 777n })
})
