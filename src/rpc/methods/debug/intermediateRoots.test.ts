import { afterAll, beforeAll, expect, test } from 'vitest'
import { createListedChain } from '../../../../test/support/listedChain.ts'
import { toHex } from '../../../base/hex.ts'

let listed: Awaited<ReturnType<typeof createListedChain>>
beforeAll(async () => {
  listed = await createListedChain()
})
afterAll(() => listed.chain.close())

const headerAt = (height: number) => {
  const header = listed.chain.reader.header(height)
  if (header === undefined) throw new Error('no such block')
  return header
}

test.each([1, 2, 3])(
  'debug_intermediateRoots of block %i ends with the state root of its header',
  async (height) => {
    const { hash, stateRoot } = headerAt(height)
    const roots = (await listed.node.request('debug_intermediateRoots', toHex(hash))) as string[]
    expect(roots).toHaveLength(listed.chain.reader.transactionCount(height) ?? -1)
    expect(roots.at(-1)).toBe(toHex(stateRoot))
    expect(new Set(roots).size).toBe(roots.length)
  },
)

test('an unknown block and the genesis are errors', async () => {
  const request = (hash: string) => listed.node.request('debug_intermediateRoots', hash)
  await expect(request(`0x${'11'.repeat(32)}`)).rejects.toMatchObject({ code: -32000 })
  await expect(request(toHex(headerAt(0).hash))).rejects.toMatchObject({
    message: 'genesis is not traceable',
  })
})
