import { expect, test } from 'vitest'
import { CONTRACT, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex, toHexDigits } from '../../../base/hex.ts'

const contract = toHex(CONTRACT)
const slot = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`

test('eth_getStorageValues gives many slots at once, in the order of the request', async () => {
  const storage = { ['0'.repeat(64)]: new Uint8Array(32).fill(5) }
  const node = createTestNode({ genesis: { [toHexDigits(CONTRACT)]: { storage } } })
  expect(await node.request('eth_getStorageValues', { [contract]: [slot(1), slot(0)] })).toEqual({
    [contract]: [slot(0), `0x${'05'.repeat(32)}`],
  })
})

test.each([[{ '0x12': [] }], [{ [contract]: Array.from({ length: 1025 }, () => slot(0)) }]])(
  'keys that are no addresses and more than 1024 slots are refused',
  async (slots) => {
    await expect(createTestNode().request('eth_getStorageValues', slots)).rejects.toMatchObject({
      code: -32602,
    })
  },
)
