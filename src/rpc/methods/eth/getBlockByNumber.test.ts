import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'

test('eth_getBlockByNumber shows hashes, or whole transactions', async () => {
  const node = withThreeBlocks(createTestNode())
  const block = await node.request('eth_getBlockByNumber', '0x1', false)
  const full = await node.request('eth_getBlockByNumber', '0x1', true)
  expect(block).toMatchObject({ number: '0x1', gasUsed: '0x11558', uncles: [], extraData: '0x' })
  const { transactions } = full as { transactions: { hash: string }[] }
  expect(transactions.map(({ hash }) => hash)).toEqual(
    (block as { transactions: string[] }).transactions,
  )
  expect(transactions).toHaveLength(2)
})

test('proof-of-work fields are null in the spec profile and constants in the ethereum profile', async () => {
  expect(await createTestNode().request('eth_getBlockByNumber', '0x0', false)).toMatchObject({
    difficulty: null,
    nonce: null,
    sha3Uncles: null,
    totalDifficulty: null,
  })
  const ethereum = createTestNode({ profile: 'ethereum' })
  expect(await ethereum.request('eth_getBlockByNumber', '0x0', false)).toMatchObject({
    difficulty: '0x0',
    nonce: '0x0000000000000000',
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    totalDifficulty: '0x0',
  })
})

// Holds D9.
test.each(['latest', 'safe', 'finalized'])('%s is the latest block', async (tag) => {
  const node = withThreeBlocks(createTestNode())
  expect(await node.request('eth_getBlockByNumber', tag, false)).toMatchObject({ number: '0x3' })
})

test('an unknown block is null', async () => {
  expect(await createTestNode().request('eth_getBlockByNumber', '0xffff', false)).toBeNull()
})

test('a plain number, a missing flag and a bad tag are refused', async () => {
  const node = createTestNode()
  const refused = { code: -32602 }
  await expect(node.request('eth_getBlockByNumber', 0, false)).rejects.toMatchObject(refused)
  await expect(node.request('eth_getBlockByNumber', '0x0')).rejects.toMatchObject(refused)
  await expect(node.request('eth_getBlockByNumber', 'newest', false)).rejects.toMatchObject(refused)
  await expect(node.request('eth_getBlockByNumber', '0x01', false)).rejects.toMatchObject({
    ...refused,
    message: 'invalid argument 0: hex number with leading zero digits',
  })
})
