import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode, transactionByAlice } from '../../../../test/support/rpcNode.ts'
import { toChecksumAddress } from '../../../base/checksumAddress.ts'

test('txpool_inspect | object with keys pending and queued, each an object of text summaries', async () => {
  const node = createTestNode()
  await node.pool.add(
    transactionByAlice({ gasLimit: 21_000n, maxFeePerGas: 5n, maxPriorityFeePerGas: 1n }).raw,
  )
  await node.pool.add(transactionByAlice({ nonce: 1n, to: undefined, value: 0n }).raw)
  expect(await node.request('txpool_inspect')).toEqual({
    pending: {
      [toChecksumAddress(ALICE)]: {
        '0': `${toChecksumAddress(BOB)}: 1 wei + 21000 gas × 5 wei`,
        '1': 'contract creation: 0 wei + 90000 gas × 3000000000 wei',
      },
    },
    queued: {},
  })
})
