/**
 * Who is drawn, over 100,000 jobs: operators with keys and ranges of their own draw by the VRF, with every tag and
 * position. The rates must be those of D31's arithmetic. The draws are computed with libsecp256k1, some of them also by the
 * program's own code.
 */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { concatBytes } from '../../src/base/bytes.ts'
import { proveVrf, vrfAlpha, vrfPublicKey } from '../../src/proof/vrf.ts'
import {
  isSelected,
  type ReviewPosition,
  type ReviewTag,
  type SelectionRange,
} from '../../src/proof/vrfSelection.ts'

const JOBS = Number(process.env['ASSAY_SELECTION_JOBS'] ?? 100_000)
/** Draws that the program's own code makes too. */
const CONFIRMED = 50
/** A rate may be this many standard deviations off: once in 15 million times by chance, and there are 35 rates. */
const DEVIATIONS = 5.3
const MAX = 600_000

type Native = {
  publicKeyConvert(key: Uint8Array): Uint8Array
  publicKeyTweakMul(key: Uint8Array, scalar: Uint8Array): Uint8Array
}
const native = createRequire(import.meta.url)('secp256k1') as Native

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The output of the VRF without its proof (proof/vrf.ts, RFC 9381 5.1 and 5.2). */
function beta(privateKey: Uint8Array, publicKey: Uint8Array, alpha: Uint8Array): Uint8Array {
  for (let counter = 0; ; counter++) {
    const x = sha256(Uint8Array.of(0xfe, 1), publicKey, alpha, Uint8Array.of(counter, 0))
    try {
      const point = native.publicKeyConvert(concatBytes(Uint8Array.of(2), x))
      const gamma = native.publicKeyTweakMul(point, privateKey)
      return Uint8Array.from(sha256(Uint8Array.of(0xfe, 3), gamma, Uint8Array.of(0)))
    } catch {
      // Half of all numbers are the x of no point.
    }
  }
}

type Kind = { readonly tag: ReviewTag; readonly position: ReviewPosition; readonly percent: number }

/** Percent by which a range grows on each side. */
const KINDS: readonly Kind[] = [
  { tag: '', position: '', percent: 0 },
  { tag: 'suspicion', position: 'before', percent: 3 },
  { tag: 'suspicion', position: 'after', percent: 3 },
  { tag: 'malicious', position: 'before', percent: 10 },
  { tag: 'malicious', position: 'after', percent: 3 },
]

/** A tenth each, as the original network has it; one at either end; a hundredth; everything; nothing. */
const RANGES: readonly SelectionRange[] = [
  ...[0, 60_000, 300_000, 540_000].map((start) => ({ start, end: start + 60_000, max: MAX })),
  { start: 297_000, end: 303_000, max: MAX },
  { start: 0, end: MAX, max: MAX },
  { start: 450_000, end: 450_000, max: MAX },
]

/** The probability by D31: the widened range, cut off at the ends of the whole range. An empty range grows too. */
function probability({ start, end, max }: SelectionRange, { percent }: Kind): number {
  const margin = (max * percent) / 100
  return (Math.min(max, end + margin) - Math.max(0, start - margin)) / max
}

const operators = RANGES.map((range, at) => {
  const privateKey = sha256(Buffer.from(`operator ${at}`))
  return { range, privateKey, publicKey: vrfPublicKey(privateKey), drawn: KINDS.map(() => 0) }
})

test('operators are drawn as often as the arithmetic of their ranges says', () => {
  for (let job = 0; job < JOBS; job++) {
    const id = sha256(Buffer.from(`job ${job}`))
    const alpha = vrfAlpha({ jobId: id, seed: sha256(id), promptHash: sha256(sha256(id)) })
    // Each job is drawn for by one of them: their draws do not depend on each other.
    const operator = operators[job % operators.length]
    if (operator === undefined) throw new Error('there are operators')
    const value = beta(operator.privateKey, operator.publicKey, alpha)
    if (job < CONFIRMED) expect(proveVrf(operator.privateKey, alpha).beta).toEqual(value)
    for (const [at, { tag, position }] of KINDS.entries())
      if (isSelected(value, operator.range, tag, position))
        operator.drawn[at] = (operator.drawn[at] ?? 0) + 1
  }
  const draws = Math.floor(JOBS / operators.length)
  const rows = operators.flatMap(({ range, drawn }) =>
    KINDS.map((kind, at) => {
      const expected = probability(range, kind)
      const rate = (drawn[at] ?? 0) / draws
      return { ...range, ...kind, expected, rate }
    }),
  )
  for (const row of rows) {
    const deviation = Math.sqrt((row.expected * (1 - row.expected)) / draws)
    const bound = DEVIATIONS * deviation + 1 / draws
    expect(Math.abs(row.rate - row.expected), JSON.stringify(row)).toBeLessThanOrEqual(bound)
  }
}, 300_000)
