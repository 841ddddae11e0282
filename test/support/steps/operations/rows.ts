/** Rows of weights: embeddings, and products. */
import { ENCODINGS } from '../../../../src/inference/fixed/tensors.ts'
import { randomVector } from '../randomNumbers.ts'
import { randomRow, TYPES } from '../randomRow.ts'
import { toHex } from '../../../../src/base/hex.ts'
import type { Random } from '../../randomProgram.ts'
import type { KernelSteps } from '../kernelSteps.ts'
import type { Steps } from '../rig.ts'
import type { Comparison, Operation } from './operation.ts'

/** Columns of a random row. */
function randomColumns(random: Random, type: number): number {
  return (ENCODINGS[type]?.block === 256 ? 256 : 32) * (1 + random(3))
}

const embedding = (type: number): Operation => ({
  name: `embedding, ${ENCODINGS[type]?.name}`,
  compare(random, engine, steps) {
    const columns = randomColumns(random, type)
    const row = randomRow(random, type, columns)
    const matrix = engine.loadRow(type, row, columns)
    // What no engine loads has no embedding; single blocks of it may be fine.
    if (matrix === undefined) return { found: 'refused', expected: 'refused' }
    const column = random(columns)
    return {
      found: steps.compute('embedding', type, toHex(row), column),
      expected: [engine.readRow(matrix)[column] as bigint],
    }
  },
})

/** Errors that say that no model has the row. */
const REFUSALS = new Set(['NotANumber', 'ScaleTooLarge', 'ScalesTooLarge', 'BlockTooWide'])

export function compareProduct(
  type: number,
  row: Uint8Array,
  vector: BigInt64Array,
  { loadRow, multiplyRow }: KernelSteps,
  steps: Steps,
): Comparison {
  const matrix = loadRow(type, row, vector.length)
  if (matrix === undefined) {
    const { error, values } = steps.call(
      'rowProduct',
      type,
      toHex(row),
      toHex(new Uint8Array(vector.length * 2)),
      0,
    )
    return {
      expected: 'refused',
      found: error !== undefined && REFUSALS.has(error) ? 'refused' : values,
    }
  }
  const { product, activations, shift } = multiplyRow(matrix, vector)
  return {
    found: steps.compute('rowProduct', type, toHex(row), toHex(activations), shift),
    expected: [product],
  }
}

const product = (type: number): Operation => ({
  name: `product, ${ENCODINGS[type]?.name}`,
  compare(random, engine, steps) {
    const columns = randomColumns(random, type)
    const row = randomRow(random, type, columns)
    return compareProduct(type, row, randomVector(random, columns), engine, steps)
  },
})

/** A row in two segments. */
const segmented: Operation = {
  name: 'product in segments',
  compare(random, engine, steps) {
    const type = TYPES[random(TYPES.length)] as number
    const columns = 512
    const row = randomRow(random, type, columns)
    const matrix = engine.loadRow(type, row, columns)
    if (matrix === undefined) return { found: 'refused', expected: 'refused' }
    const { product, activations, shift } = engine.multiplyRow(
      matrix,
      randomVector(random, columns),
    )
    const parts = [0, 1].reduce<readonly bigint[]>(
      (before, half) => {
        const [from, until] = [half / 2, (half + 1) / 2]
        const bytes = toHex(row.slice(row.length * from, row.length * until))
        const numbers = toHex(activations.slice(1024 * from, 1024 * until))
        return steps.compute('rowParts', type, bytes, numbers, before)
      },
      [0n, 0n, 0n, 0n],
    )
    return { found: steps.compute('roundParts', parts, shift), expected: [product] }
  },
}

export const ROWS: readonly Operation[] = [
  ...TYPES.map(embedding),
  ...TYPES.map(product),
  segmented,
]
