/** Random rows of weights in the encodings that the engine reads. */
import { pick, type Random } from '../randomProgram.ts'
import { ENCODINGS, type Encoding } from '../../../src/inference/fixed/tensors.ts'
import { randomBytes } from './randomNumbers.ts'

/** Where half-precision scales are in a block, by the encoding's number. */
const SCALES: Readonly<Record<number, readonly number[]>> = {
  2: [0],
  3: [0, 2],
  6: [0],
  7: [0, 2],
  8: [0],
  12: [0, 2],
  13: [0, 2],
  14: [208],
}

export const TYPES: readonly number[] = Object.keys(ENCODINGS).map(Number)

/** Half precision with an exponent of a range, or 0; every 500th is infinite or NaN. */
function randomHalf(random: Random, from: number, range: number): number {
  const kind = random(500)
  if (kind === 0) return 0x7c00 | random(1024) | (random(2) << 15)
  if (kind < 40) return random(1024) | (random(2) << 15)
  return ((from + random(range)) << 10) | random(1024) | (random(2) << 15)
}

/** Single precision with an exponent of a range, or 0. */
function randomSingle(random: Random, from: number, range: number): number {
  const kind = random(1000)
  if (kind === 0) return 0x7f800000 | random(2 ** 23)
  if (kind < 20) return random(2) * 2 ** 31
  return ((from + random(range)) * 2 ** 23 + random(2 ** 23) + random(2) * 2 ** 31) >>> 0
}

function writeNumbers(random: Random, type: number, row: Uint8Array): void {
  const view = new DataView(row.buffer)
  const range = 1 + random(8)
  const half = random(32 - range)
  // Around 1, or anywhere up to where the engine refuses a number.
  const single = random(4) === 0 ? 100 + random(44 - range) : 110 + random(20)
  for (let at = 0; at < row.length; at += type === 0 ? 4 : 2)
    if (type === 0) view.setUint32(at, randomSingle(random, single, range), true)
    else if (type === 30) view.setUint16(at, randomSingle(random, single, range) >>> 16, true)
    else view.setUint16(at, randomHalf(random, half, range), true)
}

/** A row of an encoding. Most of them can be loaded. */
export function randomRow(random: Random, type: number, columns: number): Uint8Array {
  const { block, bytes, isNumbers = false } = ENCODINGS[type] as Encoding
  const row = randomBytes(random, (columns / block) * bytes)
  if (isNumbers) {
    writeNumbers(random, type, row)
    return row
  }
  const view = new DataView(row.buffer)
  const fill = pick(random, [undefined, undefined, undefined, 0, 0x80, 0x7f, 0xff])
  if (fill !== undefined) row.fill(fill)
  const range = 1 + random(6)
  // Shared scales are multiplied by up to 63, or 128.
  const from = random((block === 256 ? 17 : 23) - range)
  for (let at = 0; at < row.length; at += bytes)
    for (const scale of SCALES[type] ?? [])
      view.setUint16(at + scale, randomHalf(random, from, range), true)
  return row
}
