import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('eth_config tells the one fork of this chain, which has no blobs and no next one', async () => {
  expect(await createTestNode().request('eth_config')).toMatchObject({
    current: {
      activationTime: 0,
      blobSchedule: { target: 0, max: 0 },
      chainId: '0x425d4',
      forkId: expect.stringMatching(/^0x[0-9a-f]{8}$/),
      precompiles: {
        ECREC: '0x0000000000000000000000000000000000000001',
        P256VERIFY: '0x0000000000000000000000000000000000000100',
      },
      systemContracts: { HISTORY_STORAGE_ADDRESS: '0x0000f90827f1c53a10cb7a02335b175320002935' },
    },
    next: null,
    last: null,
  })
})
