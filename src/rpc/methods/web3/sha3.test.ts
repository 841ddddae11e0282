import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('web3_sha3 hashes the bytes, not the text', async () => {
  // The example of the Ethereum JSON-RPC documentation.
  expect(await createTestNode().request('web3_sha3', '0x68656c6c6f20776f726c64')).toBe(
    '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
  )
})

test('web3_sha3 refuses what is not DATA', async () => {
  await expect(createTestNode().request('web3_sha3', 'hello')).rejects.toMatchObject({
    code: -32602,
    message:
      'invalid argument 0: json: cannot unmarshal hex string without 0x prefix into Go value of type hexutil.Bytes',
  })
})
