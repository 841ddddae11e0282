import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  parseEther,
  type Hex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { WebSocket } from 'ws'
import { developmentKeys } from '../accounts/development.ts'
import { toHex } from '../base/hex.ts'
import { createLog } from '../base/log.ts'
import { completeHome } from '../cli/newHome.ts'
import { dispatcherKeys } from '../config/dispatcher.ts'
import { homePaths, type Home } from '../config/home.ts'
import { loadConfig } from '../config/load.ts'
import { nodeKeys } from '../config/node.ts'
import { Staking } from '../generated/contracts.ts'
import { startNode, type RunningNode } from './node.ts'

const STAKING = { address: '0x0000000000000000000000000000000000001001', abi: Staking.abi } as const

let home: Home
let node: RunningNode

beforeAll(async () => {
  home = homePaths(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-staking-rpc-')))
  await completeHome(home)
  const flags = {
    'json-rpc.address': '127.0.0.1:0',
    'json-rpc.ws-address': '127.0.0.1:0',
    'rpc.laddr': 'tcp://127.0.0.1:0',
  }
  node = await startNode({
    home,
    config: loadConfig(nodeKeys, {
      file: home.configFile,
      environment: {},
      flags,
      otherTables: [dispatcherKeys],
    }),
    log: createLog('node', 'fatal'),
    signal: new AbortController().signal,
    fatal: (error) => {
      throw error
    },
  })
})
afterAll(async () => {
  await node.close()
  fs.rmSync(home.folder, { recursive: true })
})

type SetUpdate = {
  readonly result?: {
    readonly data?: { readonly value: { readonly validator_updates: { voting_power: string }[] } }
  }
}

/** The next ValidatorSetUpdates event of the consensus RPC, once the subscription is confirmed. */
async function nextSetUpdate(): Promise<{ readonly powers: Promise<readonly string[]> }> {
  const socket = new WebSocket(`${node.addresses.comet.replace('http', 'ws')}/websocket`)
  const messages: ((message: SetUpdate) => void)[] = []
  const next = () => new Promise<SetUpdate>((resolve) => messages.push(resolve))
  socket.on('message', (data: Buffer) =>
    messages.shift()?.(JSON.parse(data.toString()) as SetUpdate),
  )
  const query = "tm.event = 'ValidatorSetUpdates'"
  const subscribed = next()
  socket.on('open', () =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params: { query } })),
  )
  await subscribed
  const event = next()
  const powers = event.then(({ result }) => {
    socket.close()
    return result?.data?.value.validator_updates.map((update) => update.voting_power) ?? []
  })
  return { powers }
}

test('a delegation over JSON-RPC moves the power that consensus tells of, and earns a part of the fees', async () => {
  const chain = defineChain({
    id: 271_828,
    name: 'Assay',
    nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
    rpcUrls: { default: { http: [node.addresses.rpc] } },
  })
  const account = privateKeyToAccount(toHex(developmentKeys()[0] ?? new Uint8Array(32)))
  const client = createPublicClient({ chain, transport: http(), pollingInterval: 50 })
  const wallet = createWalletClient({ chain, account, transport: http() })
  const done = async (hash: Hex) => {
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt.status).toBe('success')
    return receipt
  }
  const [operator] = await client.readContract({ ...STAKING, functionName: 'validatorSet' })
  if (operator === undefined) throw new Error('nobody validates')

  const update = await nextSetUpdate()
  const delegated = await done(
    await wallet.writeContract({
      ...STAKING,
      functionName: 'delegate',
      args: [operator],
      value: parseEther('30'),
    }),
  )
  expect(await update.powers).toEqual(['40'])
  const [event] = await client.getContractEvents({
    ...STAKING,
    eventName: 'Delegated',
    fromBlock: delegated.blockNumber,
  })
  expect(event?.args).toMatchObject({ delegator: account.address, shares: parseEther('30') })
  const results = await fetch(
    `${node.addresses.comet}/block_results?height=${delegated.blockNumber}`,
  )
  expect(await results.json()).toMatchObject({
    result: { validator_updates: [{ power: '40' }] },
  })

  // Three quarters (its share of the stake) of the base fee of this transfer's block, less 10 % commission.
  const { blockNumber } = await done(await wallet.sendTransaction({ to: account.address }))
  const rewardsAt = (height: bigint) =>
    client.readContract({
      ...STAKING,
      functionName: 'rewardsOf',
      args: [account.address, operator],
      blockNumber: height,
    })
  const block = await client.getBlock({ blockNumber })
  const earned = (await rewardsAt(blockNumber)) - (await rewardsAt(blockNumber - 1n))
  const expected = (block.gasUsed * (block.baseFeePerGas ?? 0n) * 9n * 3n) / 40n
  expect(earned).toBeGreaterThan(0n)
  expect(expected - earned).toBeLessThan(5n)
  // A proof leads from the root of a block to the stake.
  const proof = await client.getProof({
    address: STAKING.address,
    storageKeys: [],
    blockNumber: delegated.blockNumber,
  })
  expect(proof.balance).toBeGreaterThanOrEqual(parseEther('40'))
})
