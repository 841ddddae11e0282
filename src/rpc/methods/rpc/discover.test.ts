import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'
import { METHODS } from '../../table.ts'

test('rpc.discover describes every method, itself included', async () => {
  const { openrpc, methods } = (await createTestNode().request('rpc.discover')) as {
    openrpc: string
    methods: { name: string; params: { name: string; required: boolean }[] }[]
  }
  expect(openrpc).toMatch(/^1\.3/)
  expect(methods.map(({ name }) => name)).toEqual(Object.keys(METHODS))
  expect(methods.find(({ name }) => name === 'eth_getBalance')?.params).toMatchObject([
    { name: 'address', required: true },
    { name: 'block', required: false },
  ])
})
