/** The check that a product of pairings is one. */
import { TARGET_RECORD, type Mcl } from './mcl.ts'
import type { PointGroup } from './points.ts'

/** Collects pairs of points, then checks them. */
export type PairingCheck = {
  /** Starts over. */
  reset(): void
  /** Takes a pair; the callbacks write the points to an address. */
  add(readG1: (to: number) => void, readG2: (to: number) => void): void
  /** Whether the product of all pairings is one, as that of no pairs is. */
  isOne(): boolean
}

/** Number of pairs that the library processes at once. */
const BATCH = 16

export function createPairingCheck(mcl: Mcl, g1: PointGroup, g2: PointGroup): PairingCheck {
  const { calls } = mcl
  const first = mcl.reserve(BATCH * g1.record)
  const second = mcl.reserve(BATCH * g2.record)
  const product = mcl.reserve(TARGET_RECORD)
  const part = mcl.reserve(TARGET_RECORD)
  let count = 0
  let isEmpty = true
  function flush(): void {
    if (count === 0) return
    calls.mclBn_millerLoopVec(isEmpty ? product : part, first, second, count)
    if (!isEmpty) calls.mclBnGT_mul(product, product, part)
    isEmpty = false
    count = 0
  }
  return {
    reset() {
      count = 0
      isEmpty = true
    },
    add(readG1, readG2) {
      const a = first + count * g1.record
      const b = second + count * g2.record
      readG1(a)
      readG2(b)
      // The pairing with infinity is one.
      if (g1.calls.isZero(a) === 1 || g2.calls.isZero(b) === 1) return
      count++
      if (count === BATCH) flush()
    },
    isOne() {
      flush()
      if (isEmpty) return true
      calls.mclBn_finalExp(product, product)
      return calls.mclBnGT_isOne(product) === 1
    },
  }
}
