import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { CLASS, toCodePoints } from './codePoints.ts'

/** All code points but surrogates. */
function everyPoint(): Uint8Array {
  const classes: Uint8Array[] = []
  for (let from = 0; from < 0x110000; from += 0x800) {
    if (from >= 0xd800 && from < 0xe000) continue
    const points = Array.from({ length: 0x800 }, (_, i) => from + i)
    classes.push(toCodePoints(String.fromCodePoint(...points)).classes)
  }
  return Buffer.concat(classes)
}

// Holds D117.
test('the classes of all code points are the same on every version of Node', () => {
  const hash = createHash('sha256').update(everyPoint()).digest('hex')
  expect(hash).toBe('207784806cb6598b764d138047d4ba8ea9b41995665bf2af19e82de719bb02f7')
})

test('the classes are those that Node knows, save for characters younger than Unicode 15.1', () => {
  const tests: readonly (readonly [number, RegExp])[] = [
    [CLASS.letter, /^\p{L}$/u],
    [CLASS.mark, /^\p{M}$/u],
    [CLASS.number, /^\p{N}$/u],
    [CLASS.punctuation, /^\p{P}$/u],
    [CLASS.symbol, /^\p{S}$/u],
    [CLASS.space, /^\p{White_Space}$/u],
  ]
  const wrong: string[] = []
  everyPoint().forEach((kind, index) => {
    const point = index < 0xd800 ? index : index + 0x800
    const character = String.fromCodePoint(point)
    const known = tests.find(([, expression]) => expression.test(character))?.[0] ?? CLASS.other
    if (kind !== known && kind !== CLASS.other) wrong.push(point.toString(16))
  })
  expect(wrong).toEqual([])
})
