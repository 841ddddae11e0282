/** docs/arithmetic.md against the code: its constants, the encodings, and values to check an engine with. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openKernels } from './kernels.ts'
import { createRopeTable } from './rope.ts'
import { ENCODINGS } from './tensors.ts'

const folder = path.resolve(import.meta.dirname, '..', '..', '..', 'docs')
const page = fs.readFileSync(path.join(folder, 'arithmetic.md'), 'utf8')

/** Cells of the rows of the table below a heading. */
function tableBelow(heading: string): readonly (readonly string[])[] {
  const section = page.split(`\n${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

// Holds D163.
test('its constants are those of the code', () => {
  const rows = tableBelow('## Constants')
  expect(rows.length).toBeGreaterThan(10)
  for (const [name = '', value = '', , file = ''] of rows) {
    const target = /\]\((.*)\)/.exec(file)?.[1] ?? ''
    const code = fs.readFileSync(path.join(folder, target), 'utf8')
    const line = code.split('\n').find((text) => text.includes(`const ${name.replaceAll('`', '')}`))
    expect(line).toContain(`= ${value.replaceAll('`', '')}`)
  }
})

test('its encodings are all that the engine reads', () => {
  const blocks = tableBelow('## Encodings').map(([name, number, sizes]) => [name, number, sizes])
  const expected = Object.entries(ENCODINGS)
    .filter(([, { isNumbers }]) => isNumbers !== true)
    .map(([number, { name, block, bytes }]) => [name, number, `${block}, ${bytes}`])
  expect(blocks).toEqual(expected)
  for (const [number, { name, isNumbers }] of Object.entries(ENCODINGS))
    if (isNumbers === true) expect(page).toContain(`${name} (${number})`)
})

const kernels = openKernels()

/** Runs a kernel on numbers in memory, and reads them again. */
function run(values: readonly bigint[], use: (address: number) => void): readonly bigint[] {
  const address = kernels.allocate(values.length * 8)
  new BigInt64Array(kernels.bytes().buffer, address, values.length).set(values)
  use(address)
  return [...new BigInt64Array(kernels.bytes().buffer, address, values.length)]
}

function norm(values: readonly bigint[]): readonly bigint[] {
  return run(values, (address) => {
    const gains = kernels.allocate(values.length * 4)
    new Int32Array(kernels.bytes().buffer, gains, values.length).fill(2 ** 24)
    kernels.normalize(address, gains, 24, 2_814_749_767n, values.length, address)
  })
}

function draw(weights: readonly number[], seed: bigint, position: bigint): number {
  const address = kernels.allocate(weights.length * 4)
  new Uint32Array(kernels.bytes().buffer, address, weights.length).set(weights)
  return kernels.draw(address, weights.length, 1, seed, position)
}

const ONE = 1n << 24n

const VALUES: readonly (readonly [what: string, compute: () => unknown])[] = [
  ['half(1)', () => kernels.powerOfHalf(1n)],
  ['half(1234567)', () => kernels.powerOfHalf(1_234_567n)],
  ['minusLog2(1)', () => kernels.negativeLog2(1n)],
  ['minusLog2(6442450943)', () => kernels.negativeLog2(6_442_450_943n)],
  ['root(2^61 - 1)', () => kernels.squareRoot((1n << 61n) - 1n)],
  ['multiply(2^40, 2^24 + 1)', () => run([1n << 40n], (x) => kernels.scaleAll(x, ONE + 1n, 1))],
  [
    'multiply(-2^36 - 1, 2^26 + 3)',
    () => run([-(1n << 36n) - 1n], (x) => kernels.scaleAll(x, 4n * ONE + 3n, 1)),
  ],
  [
    'SiLU gate of -2^24 and 3 * 2^24',
    () => run([-ONE, 3n * ONE], (x) => kernels.gate(x, x + 8, 1))[0],
  ],
  ['GELU gate of 2^24 and 2^24', () => run([ONE, ONE], (x) => kernels.gateGelu(x, x + 8, 1))[0]],
  [
    'softBound(40 * 2^24, 30 * 2^24)',
    () => run([40n * ONE], (x) => kernels.softCapAll(x, 1, 30n * ONE)),
  ],
  [
    'norm of 1, 2, 3, 4 times 2^24, gain 1, epsilon 2814749767',
    () => norm([ONE, 2n * ONE, 3n * ONE, 4n * ONE]),
  ],
  [
    'cosine, sine of pair 1 of 4 at position 3, base 10000',
    () => createRopeTable(8, 10_000).at(3).slice(2, 4),
  ],
  [
    'race of weights 5, 7, 11, seed 42, positions 0 to 7',
    () => Array.from({ length: 8 }, (_, position) => draw([5, 7, 11], 42n, BigInt(position))),
  ],
]

test('its values to check an engine with are those of the engine', () => {
  const expected = VALUES.map(([what, compute]) => [what, String(compute()).replaceAll(',', ', ')])
  expect(tableBelow('## Values to check an engine with')).toEqual(expected)
})
