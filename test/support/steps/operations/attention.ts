/** Attention of one head over a few positions, from scores to the mean of the values. */
import { toHex } from '../../../../src/base/hex.ts'
import { pick, type Random } from '../../randomProgram.ts'
import { randomVector } from '../randomNumbers.ts'
import type { KernelSteps } from '../kernelSteps.ts'
import type { Steps } from '../rig.ts'
import type { Operation } from './operation.ts'

/** An entry of the cache: key and value of 2 bytes a number, and their shifts. */
type Entry = {
  readonly key: Uint8Array
  readonly value: Int16Array
  readonly keyShift: number
  readonly valueShift: number
}

function entryOf(bytes: Uint8Array, size: number): Entry {
  const view = new DataView(bytes.buffer)
  return {
    key: bytes.slice(0, 2 * size),
    value: Int16Array.from({ length: size }, (_, i) => view.getInt16(2 * (size + i), true)),
    keyShift: view.getInt32(4 * size, true),
    valueShift: view.getInt32(4 * size + 4, true),
  }
}

/** Vectors of the same size for all positions, of one size for each, or a limit. */
function randomHeads(random: Random, count: number, size: number): readonly BigInt64Array[] {
  const same = randomVector(random, size)
  const isSame = random(6) === 0
  return Array.from({ length: count }, () => (isSame ? same : randomVector(random, size)))
}

type Head = {
  readonly query: Uint8Array
  readonly queryShift: number
  readonly entries: readonly Entry[]
  readonly factor: bigint
  readonly cap: bigint
  readonly index: number
}

/** Number `index` of the mean, as the contract computes it. */
function meanOf({ query, queryShift, entries, factor, cap, index }: Head, steps: Steps): bigint {
  const scores = entries.map(({ key, keyShift }) =>
    steps.one('score', toHex(query), toHex(key), queryShift, keyShift, factor, cap),
  )
  const most = scores.reduce((a, b) => (a > b ? a : b))
  const topShift = Math.max(...entries.map(({ valueShift }) => valueShift))
  let [sum, total] = [0n, 0n]
  entries.forEach(({ value, valueShift }, position) => {
    const weight = steps.one('weight', most, scores[position])
    total += weight
    sum = steps.one('weightedSum', sum, weight, topShift, valueShift, value[index])
  })
  return steps.one('weightedMean', sum, total, topShift)
}

function randomHead(
  random: Random,
  engine: KernelSteps,
  cap: bigint,
): Head & { readonly mean: bigint } {
  const { kernels, put, take, bytesAt } = engine
  const size = pick(random, [8, 16, 64])
  const count = 1 + random(6)
  const entryBytes = Math.ceil((4 * size + 8) / 16) * 16
  const cache = kernels.allocate(count * entryBytes)
  const keys = randomHeads(random, count, size)
  const values = randomHeads(random, count, size)
  keys.forEach((key, i) =>
    kernels.storeEntry(put(key), put(values[i] as BigInt64Array), 1, size, cache + i * entryBytes),
  )
  const queries = put(randomVector(random, size))
  const query = kernels.allocate(size * 2)
  const queryShift = kernels.quantize(queries, size, 13, query)
  const factor = BigInt(Math.floor(387_270_501 / Math.sqrt(size)))
  const target = kernels.allocate(size * 8)
  const scratch = kernels.allocate(size * 2 + count * 8)
  kernels.attend(queries, 1, 1, size, cache, count, factor, scratch, target, cap)
  const index = random(size)
  return {
    query: bytesAt(query, size * 2),
    queryShift,
    entries: keys.map((_, i) => entryOf(bytesAt(cache + i * entryBytes, entryBytes), size)),
    factor,
    cap,
    index,
    mean: take(target, size)[index] as bigint,
  }
}

const attention = (name: string, caps: readonly number[]): Operation => ({
  name,
  compare(random, engine, steps) {
    const cap = (BigInt(pick(random, caps) * 2 ** 24) * 387_270_501n) >> 32n
    const head = randomHead(random, engine, cap)
    return { found: [meanOf(head, steps)], expected: [head.mean] }
  },
})

export const ATTENTION: readonly Operation[] = [
  attention('attention', [0]),
  attention('attention with bounded scores', [50, 30, 127, 0.5]),
]
