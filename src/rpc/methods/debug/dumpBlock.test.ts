import { expect, test } from 'vitest'
import { createListedChain } from '../../../../test/support/listedChain.ts'

test('debug_dumpBlock is the first page of debug_accountRange', async () => {
  const { node, chain } = await createListedChain()
  const page = await node.request('debug_accountRange', '0x3', '0x', 256, false, false, false)
  expect(await node.request('debug_dumpBlock', '0x3')).toEqual(page)
  await expect(node.request('debug_dumpBlock', '0x99')).rejects.toMatchObject({
    code: -32000,
    message: 'block #153 not found',
  })
  await chain.close()
})
