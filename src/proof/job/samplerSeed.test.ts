import { expect, test } from 'vitest'
import { samplerSeed } from './samplerSeed.ts'

const seed = `0x${'12345678'.repeat(8)}`
const drawBlockHash = `0x${'ab'.repeat(32)}`

/** A text with another digit at a position. */
function changed(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`
}

// Holds D79.
test('in version 3 every digit of seed and block hash changes the seed of the sampler', () => {
  const seeds = new Set([samplerSeed({ seed, drawBlockHash })])
  for (let at = 2; at < 66; at++) {
    seeds.add(samplerSeed({ seed: changed(seed, at), drawBlockHash }))
    seeds.add(samplerSeed({ seed, drawBlockHash: changed(drawBlockHash, at) }))
  }
  expect(seeds.size).toBe(129)
  for (const each of seeds) expect(each < 1n << 64n).toBe(true)
})

test('earlier versions keep the first four bytes of the seed', () => {
  expect(samplerSeed({ seed })).toBe(0x12345678n)
})

// Holds D137.
test('a seed that the submitter chose is the seed, modulo 2^64', () => {
  expect(samplerSeed({ seed, drawBlockHash }, 42)).toBe(42n)
  expect(samplerSeed({ seed }, -1)).toBe(2n ** 64n - 1n)
})
