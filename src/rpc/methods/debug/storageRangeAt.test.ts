import { afterAll, beforeAll, expect, test } from 'vitest'
import { createListedChain, SETTER, wordHex } from '../../../../test/support/listedChain.ts'
import { fromHex, toHex } from '../../../base/hex.ts'
import { keccak256 } from '../../../base/keccak.ts'

type Range = {
  readonly storage: Readonly<Record<string, { readonly key: string; readonly value: string }>>
  readonly nextKey: string | null
}

let listed: Awaited<ReturnType<typeof createListedChain>>
beforeAll(async () => {
  listed = await createListedChain()
})
afterAll(() => listed.chain.close())

async function range(
  block: string,
  index: number,
  start = '0x',
  limit = 100,
  address = toHex(SETTER),
): Promise<Range> {
  const answer = await listed.node.request(
    'debug_storageRangeAt',
    block,
    index,
    address,
    start,
    limit,
  )
  return answer as Range
}

function slotsOf({ storage }: Range): Record<string, string> {
  return Object.fromEntries(Object.values(storage).map(({ key, value }) => [key, value]))
}

const slots = (values: Readonly<Record<number, number>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([slot, value]) => [wordHex(Number(slot)), wordHex(value)]),
  )

test('debug_storageRangeAt shows the storage before a transaction, under the hashes of its slots', async () => {
  const { storage, nextKey } = await range('0x2', 2)
  expect(storage).toEqual({
    [toHex(keccak256(fromHex(wordHex(1))))]: { key: wordHex(1), value: wordHex(10) },
    [toHex(keccak256(fromHex(wordHex(2))))]: { key: wordHex(2), value: wordHex(20) },
  })
  expect(nextKey).toBeNull()
})

test('an older block shows the slots of its time, also those that are gone or were changed since', async () => {
  expect(slotsOf(await range('0x3', 0))).toEqual(slots({ 1: 10, 2: 20, 3: 30, 4: 40, 5: 50 }))
  expect(slotsOf(await range('0x3', 2))).toEqual(slots({ 1: 10, 3: 33, 4: 40, 5: 50 }))
})

// Holds D16a.
test('pages follow one another in the order of the hashes', async () => {
  const seen: string[] = []
  let start: string | null = '0x'
  while (start !== null) {
    const { storage, nextKey } = await range('0x3', 0, start, 2)
    seen.push(...Object.keys(storage))
    start = nextKey
  }
  expect(seen).toEqual(Object.keys((await range('0x3', 0)).storage))
  expect(seen).toHaveLength(5)
  expect(seen).toEqual(seen.toSorted())
})

test('an account without storage has an empty range', async () => {
  expect(await range('0x2', 0, '0x', 10, `0x${'12'.repeat(20)}`)).toEqual({
    storage: {},
    nextKey: null,
  })
})

test('a transaction that the block does not have, and the genesis, are errors', async () => {
  await expect(range('0x3', 4)).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining('transaction index 4 out of range for block 0x') as string,
  })
  await expect(range('0x0', 0)).rejects.toMatchObject({ message: 'genesis is not traceable' })
})
