import { expect, onTestFinished, test } from 'vitest'
import { createMemoryPool } from '../../../../test/support/memoryPool.ts'
import { verifyAccountProof } from '../../../../test/support/proof.ts'
import {
  ALICE,
  BOB,
  CONTRACT,
  createTestNode,
  nodeOver,
  transactionByAlice,
} from '../../../../test/support/rpcNode.ts'
import { createStoredChain } from '../../../../test/support/storedChain.ts'
import { fromHex, toHex, toHexDigits, type Hex } from '../../../base/hex.ts'
import { toQuantity } from '../../../base/quantity.ts'

type WireProof = {
  readonly address: Hex
  readonly accountProof: Hex[]
  readonly balance: Hex
  readonly codeHash: Hex
  readonly nonce: Hex
  readonly storageHash: Hex
  readonly storageProof: { readonly key: Hex; readonly value: Hex; readonly proof: Hex[] }[]
}

const address = toHex(CONTRACT)

function nodeWithStorage(): ReturnType<typeof createTestNode> {
  return createTestNode({
    genesis: {
      [toHexDigits(CONTRACT)]: {
        balance: 3n,
        nonce: 1n,
        storage: { ['00'.repeat(31) + '01']: new Uint8Array(32).fill(0, 0, 31).fill(9, 31) },
      },
    },
  })
}

// Holds D47.
test('eth_getProof gives account and slots, with full keys as DATA and short ones as QUANTITY', async () => {
  const long = `0x${'00'.repeat(31)}01`
  const proof = await nodeWithStorage().request('eth_getProof', address, ['0x1', long, '0x02', '3'])
  expect(proof).toMatchObject({
    address,
    balance: '0x3',
    nonce: '0x1',
    storageProof: [
      { key: '0x1', value: '0x9' },
      { key: long, value: '0x9' },
      { key: '0x2', value: '0x0' },
      { key: '0x3', value: '0x0' },
    ],
  })
})

test('eth_getProof refuses more than 1024 keys', async () => {
  const keys = Array.from({ length: 1025 }, () => '0x0')
  await expect(nodeWithStorage().request('eth_getProof', address, keys)).rejects.toMatchObject({
    code: -32602,
    message: 'too many slots (max 1024)',
  })
})

test('eth_getProof of a state that is not kept is an error, not a crash', async () => {
  const node = nodeWithStorage()
  node.chain.append()
  node.chain.forget(1)
  await expect(node.request('eth_getProof', address, [], '0x0')).rejects.toMatchObject({
    code: -32000,
    message: 'state of height 0 is not kept',
  })
})

test('eth_getProof verifies against the state root of its block, also for what is absent', async () => {
  const stored = createStoredChain([{ address: ALICE, balance: 10n ** 20n }])
  onTestFinished(() => stored.close())
  // Init code that stores the caller in slot 1 and deploys nothing.
  const data = fromHex('0x3360015500')
  const creation = transactionByAlice({ to: undefined, value: 0n, data })
  await stored.mine(creation)
  await stored.mine()
  const node = nodeOver(stored.reader, createMemoryPool())
  const created = stored.reader.receipts(1)?.[0]?.contractAddress ?? new Uint8Array()
  const keys = [`0x${'00'.repeat(31)}01`, `0x${'00'.repeat(31)}02`] as const
  for (const account of [ALICE, BOB, created])
    for (const height of [0, 1, 2]) {
      const answer = await node.request('eth_getProof', toHex(account), keys, toQuantity(height))
      const proof = answer as WireProof
      const { stateRoot } = stored.reader.header(height) ?? { stateRoot: new Uint8Array() }
      expect(
        await verifyAccountProof(toHex(stateRoot), {
          ...proof,
          balance: BigInt(proof.balance),
          nonce: Number(proof.nonce),
          storageProof: proof.storageProof.map((slot) => ({ ...slot, value: BigInt(slot.value) })),
        }),
      ).toBe(true)
    }
  expect(await node.request('eth_getProof', toHex(created), [keys[0]])).toMatchObject({
    storageProof: [{ value: toQuantity(BigInt(toHex(ALICE))) }],
  })
})
