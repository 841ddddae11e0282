/** Gas of each step of the integer engine, and by the sizes of models, as tables of docs/disputes.md. */
import { toHex, type Hex } from '../../../src/base/hex.ts'
import { ENCODINGS, type Encoding } from '../../../src/inference/fixed/tensors.ts'
import { seededRandom } from '../randomProgram.ts'
import type { StepName, StepResult, Steps } from './rig.ts'

/** What a step is called in the table, and the arguments that it is measured with. */
type Case = readonly [operation: string, name: StepName, args: readonly unknown[]]

/** Bytes without a zero, which cost the most. */
function fullBytes(length: number): Uint8Array {
  const random = seededRandom(length)
  return Uint8Array.from({ length }, () => 1 + random(255))
}

/** A row whose scales are in a usual range. */
function fullRow(type: number, columns: number): Hex {
  const { block, bytes, isNumbers = false } = ENCODINGS[type] as Encoding
  const row = fullBytes((columns / block) * bytes)
  const view = new DataView(row.buffer)
  // 2^-7 or so in half precision, in bfloat16, and the upper half of single precision.
  const [half, single] = [0x2345, 0x3c11]
  if (isNumbers) {
    for (let at = 0; at < row.length; at += type === 0 ? 4 : 2)
      view.setUint16(type === 0 ? at + 2 : at, type === 1 ? half : single, true)
    return toHex(row)
  }
  for (let at = 0; at < row.length; at += bytes) {
    view.setUint16(type === 14 ? at + 208 : at, half, true)
    if (bytes === 20 || bytes === 24 || bytes === 144 || bytes === 176)
      view.setUint16(at + 2, half, true)
  }
  return toHex(row)
}

/** Numbers of 8 bytes below 2^39, the largest that few zero bytes are in. */
function fullNumbers(count: number): Hex {
  const bytes = fullBytes(count * 8)
  for (let at = 0; at < bytes.length; at += 8)
    bytes.fill(0xff, at + 5, at + 8).fill(0xf1, at + 4, at + 5)
  return toHex(bytes)
}

const NO_PARTS = [0, 0, 0, 0]
const NUMBER = -123_456_789_012n
const Q96 = 0x123456789abcdef0123456789n

/** Columns of a segment: rows of plain numbers have more bytes. */
export function segmentColumns(type: number): number {
  return ENCODINGS[type]?.isNumbers === true ? 256 : 2048
}

const segment = (type: number, columns = segmentColumns(type)): readonly unknown[] => [
  type,
  fullRow(type, columns),
  toHex(fullBytes(columns * 2)),
  NO_PARTS,
]

const score = (size: number): Case => [
  `score, head of ${size}`,
  'score',
  [toHex(fullBytes(size * 2)), toHex(fullBytes(size * 2)), 3, 4, 48_408_812n, 0],
]

const CASES: readonly Case[] = [
  ['embedding, row of 2,048 in Q8_0', 'embedding', [8, fullRow(8, 2048), 2047]],
  ['embedding, times a constant', 'product', [NUMBER, 758_000_000n]],
  ['largest of 256 numbers', 'largest', [fullNumbers(256), 0]],
  ['norm: shift', 'normShift', [2n ** 39n]],
  ['norm: squares of 256 numbers', 'squares', [fullNumbers(256), 16, 0]],
  ['norm: inverse root', 'inverseRoot', [2n ** 55n, 4096, 2_814_749_767n, 0]],
  ['norm: one number', 'normalized', [NUMBER, 13, 2 ** 29 + 12_345, 8, 23_456_789, 24]],
  ['quantisation: shift', 'quantizeShift', [2n ** 39n, 15]],
  ['quantisation: one number', 'quantized', [NUMBER, 24, 15]],
  ...Object.keys(ENCODINGS)
    .map(Number)
    .map((type): Case => {
      const columns = segmentColumns(type).toLocaleString('en')
      return [`row of ${columns} in ${ENCODINGS[type]?.name}`, 'rowParts', segment(type)]
    }),
  ['row: rounding', 'roundParts', [[2n ** 60n, -(2n ** 50n), 2n ** 40n, 1], 9]],
  ['bias, residual stream', 'sum', [NUMBER, NUMBER]],
  ['rotation of a pair', 'rotated', [NUMBER, NUMBER, 4_006_972, 1_239_502]],
  ['angle at position 1', 'firstAngle', [500_000n << 24n, 128, 63, 8n << 23n]],
  ['angle at the next position', 'nextAngle', [Q96, Q96, Q96, Q96]],
  ['angle of the table', 'angleEntry', [Q96, 2n ** 30n]],
  score(64),
  score(128),
  score(256),
  ['score with a bound, head of 256', 'score', [...score(256)[2].slice(0, 5), 75_638_770]],
  ['attention: weight', 'weight', [987_654_321, 981_234_567]],
  ['attention: weighted sum', 'weightedSum', [2n ** 50n, 16_000_000, 20, 7, -8191]],
  ['attention: mean', 'weightedMean', [2n ** 50n, 2n ** 27n, 12]],
  ['SiLU gate', 'siluGate', [-12_345_678, NUMBER]],
  ['GELU gate', 'geluGate', [-12_345_678, NUMBER]],
  ['soft bound of a logit', 'softCapped', [-(30n << 24n) + 1n, 30n << 24n]],
  ['choice: weight of a token', 'tokenWeight', [500_000_000, 412_345_678, 700_000]],
  ['choice: time in the race', 'arrival', [0x0123456789abcdefn, 4095, 128_000]],
  ['choice: sums of 256 weights', 'addWeights', [toHex(fullBytes(1024)), 2n ** 27n, [0, 0, 0]]],
  [
    'choice: threshold of the nucleus',
    'isThreshold',
    [[2n ** 34n, 2n ** 33n, 2n ** 33n + 99n], 900_000],
  ],
  ['constant of scores', 'scoreFactor', [128]],
  ['constant of embeddings', 'embeddingScale', [2304, 6]],
  ['bound of scores', 'scoreCap', [50n << 24n]],
  ['bits of gains', 'bitsOfGains', [0x42f6e979]],
  ['gain or bias', 'single', [0x42f6e979, 23]],
]

/** Sizes of models. */
type Sizes = {
  readonly model: string
  readonly width: number
  readonly hidden: number
  readonly head: number
}

const MODELS: readonly Sizes[] = [
  { model: 'SmolLM2-135M', width: 576, hidden: 1536, head: 64 },
  { model: 'Qwen2.5-0.5B', width: 896, hidden: 4864, head: 64 },
  { model: 'Llama-3.2-1B', width: 2048, hidden: 8192, head: 64 },
  { model: 'Gemma-2-2B', width: 2304, hidden: 9216, head: 256 },
  { model: 'Phi-3.5-mini', width: 3072, hidden: 8192, head: 96 },
  { model: 'Llama-3.1-8B', width: 4096, hidden: 14_336, head: 128 },
]

export type GasTables = {
  readonly operations: string
  readonly models: string
  /** The largest gas of a transaction in either table. */
  readonly largest: bigint
}

/** Measures every case. */
export function measureGas(steps: Steps): GasTables {
  let largest = 0n
  const measure = (name: StepName, args: readonly unknown[]): StepResult => {
    const result = steps.call(name, ...args)
    if (result.error !== undefined) throw new Error(`${name} reverts with ${result.error}`)
    if (result.transactionGas > largest) largest = result.transactionGas
    return result
  }
  const operations = CASES.map(([operation, name, args]) => {
    const { transactionGas, codeGas } = measure(name, args)
    return [operation, `\`${name}\``, inThousands(transactionGas), inThousands(codeGas)]
  })
  const row = (columns: number): string => {
    const count = Math.ceil(columns / 2048)
    const { transactionGas } = measure('rowParts', segment(8, Math.min(columns, 2048)))
    return `${count} x ${inThousands(transactionGas)}`
  }
  const models = MODELS.map(({ model, width, hidden, head }) => {
    const [, name, args] = score(head)
    return [
      model,
      row(width),
      row(hidden),
      `${Math.ceil(width / 256)} x ${inThousands(measure('squares', [fullNumbers(256), 16, 0]).transactionGas)}`,
      inThousands(measure(name, args).transactionGas),
    ]
  })
  return {
    operations: table(['operation', 'function', 'gas', 'of the code'], operations),
    models: table(
      ['model', 'row of the width', 'row of the hidden width', 'squares of a norm', 'score'],
      models,
    ),
    largest,
  }
}

function inThousands(gas: bigint): string {
  return gas.toLocaleString('en')
}

/** A table of Markdown. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heads, ...rows]
  const widths = heads.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [line(heads), rule, ...rows.map(line)].join('\n')
}
