import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('rpc_modules names the namespaces that are served', async () => {
  expect(await createTestNode().request('rpc_modules')).toEqual({
    eth: '1.0',
    net: '1.0',
    web3: '1.0',
  })
})
