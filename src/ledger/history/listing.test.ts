import { expect, test } from 'vitest'
import { byAlice, createListedChain, SETTER, setData } from '../../../test/support/listedChain.ts'
import { ALICE } from '../../../test/support/rpcNode.ts'
import { bytesToBigint } from '../../base/bytes.ts'

const BLOCKS = 600
const SLOTS = 40

test('listings of older heights are those of their time, behind posting lists and in the tail', async () => {
  const { chain } = await createListedChain()
  const { reader } = chain
  const states: Map<number, number>[] = []
  const model = new Map([
    [1, 10],
    [3, 33],
    [4, 40],
    [5, 50],
    [7, 7],
  ])
  try {
    const first = Number(reader.stateAt(3).account(ALICE)?.nonce)
    for (let i = 0; i < BLOCKS; i++) {
      const slot = (i * 7 + (i % 3)) % SLOTS
      const value = i % 4 === 0 ? 0 : i + 1
      await chain.mine(byAlice(first + i, SETTER, setData(slot, value)))
      if (value === 0) model.delete(slot)
      else model.set(slot, value)
      states[reader.latestHeight()] = new Map(model)
    }
    for (const height of [4, 100, 255, 256, 257, 400, 590, 602, 603]) {
      const listed = [...reader.slots(height, SETTER)].map(({ slot, value }) => [
        Number(bytesToBigint(slot)),
        Number(bytesToBigint(value)),
      ])
      expect(new Map(listed as [number, number][])).toEqual(states[height])
      expect(listed).toHaveLength(states[height]?.size ?? -1)
    }
    const addresses = (height: number) =>
      [...reader.accounts(height)].map(({ address }) => address.toString())
    expect(addresses(0)).not.toContain(SETTER.toString())
    expect(addresses(100)).toContain(SETTER.toString())
    expect(new Set(addresses(100)).size).toBe(addresses(100).length)
  } finally {
    await chain.close()
  }
})
