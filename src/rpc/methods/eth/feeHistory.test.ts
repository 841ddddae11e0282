import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'

test('eth_feeHistory has one base fee more than blocks, and a row of rewards per block', async () => {
  const node = withThreeBlocks(createTestNode())
  expect(await node.request('eth_feeHistory', '0x3', 'latest', [0, 50, 100])).toEqual({
    oldestBlock: '0x1',
    baseFeePerGas: Array.from({ length: 4 }, () => '0x3b9aca00'),
    gasUsedRatio: [71_000 / 30_000_000, 0, 0.004],
    reward: [
      ['0x1dcd6500', '0x1dcd6500', '0x3b9aca00'],
      ['0x0', '0x0', '0x0'],
      ['0x1dcd6500', '0x1dcd6500', '0x77359400'],
    ],
  })
})

test('without percentiles there are no rewards, and a count may be a JSON number', async () => {
  const node = withThreeBlocks(createTestNode())
  const history = await node.request('eth_feeHistory', 2, '0x2')
  expect(history).toMatchObject({ oldestBlock: '0x1', gasUsedRatio: [71_000 / 30_000_000, 0] })
  expect(history).not.toHaveProperty('reward')
})

test.each(['2', '0x2', '0x02', '02', 2])('a count may be written as %j', async (count) => {
  const node = withThreeBlocks(createTestNode())
  expect(await node.request('eth_feeHistory', count, '0x2')).toMatchObject({ oldestBlock: '0x1' })
})

test.each(['two', '-1', '0x', '18446744073709551616'])('the count %j is refused', async (count) => {
  await expect(createTestNode().request('eth_feeHistory', count, '0x0')).rejects.toMatchObject({
    code: -32_602,
    message: `invalid argument 0: invalid hex or decimal integer "${count}"`,
  })
})

test('a range longer than the chain is cut', async () => {
  const node = withThreeBlocks(createTestNode())
  expect(await node.request('eth_feeHistory', '0xffff', 'latest', [])).toMatchObject({
    oldestBlock: '0x0',
  })
})

test('the next base fee follows the fullness of the head and the time since', async () => {
  const oneSecondLater = 1_700_000_001_000_000_000n
  const node = createTestNode({ nowNs: () => oneSecondLater })
  // An empty head, and a whole second later: one eighth less.
  expect(await node.request('eth_feeHistory', '0x1', 'latest')).toMatchObject({
    baseFeePerGas: ['0x3b9aca00', `0x${(875_000_000).toString(16)}`],
  })
})

test.each([
  [[101], 'invalid reward percentile: 101.000000'],
  [[50, 20], 'invalid reward percentile: #0:50.000000 >= #1:20.000000'],
])('percentiles %j are refused', async (percentiles, message) => {
  await expect(
    createTestNode().request('eth_feeHistory', '0x1', 'latest', percentiles),
  ).rejects.toMatchObject({ code: -32000, message })
})

test('a block beyond the head is refused', async () => {
  await expect(createTestNode().request('eth_feeHistory', '0x1', '0x9')).rejects.toMatchObject({
    code: -32000,
    message: 'request beyond head block: requested 9, head 0',
  })
})
