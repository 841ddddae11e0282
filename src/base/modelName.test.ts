import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isModelName,
  isModelReference,
  modelReferenceText,
  parseModelReference,
} from './modelName.ts'

const HASH = 'ab'.repeat(32)

// Holds D58.
test.each([
  'tiny.gguf',
  'llama3:8b',
  'hf:org/repo@main/file Q4_0.gguf',
  ' leading and trailing ',
  '../outside.gguf',
  '模型',
  '😀'.repeat(256),
  'x'.repeat(256),
  'x@sha1:00',
])('"%s" is a name', (name) => {
  expect(parseModelReference(name)).toEqual({ name })
  expect(isModelName(name)).toBe(true)
})

test.each([
  ['', 'nothing'],
  ['x'.repeat(257), 'one character too many'],
  ['😀'.repeat(257), 'one character too many, of two units each'],
  ['a\0b', 'U+0000'],
  ['a\nb', 'a line break'],
  ['a\u007fb', 'DEL'],
  ['a\u0085b', 'a control character of C1'],
  ['a\ud800b', 'half of a surrogate pair'],
  [`@sha256:${HASH}`, 'a pin without a name'],
  [`x@sha256:${HASH.slice(1)}`, 'a pin of 63 digits'],
  [`x@sha256:${HASH}0`, 'a pin of 65 digits'],
  [`x@sha256:${HASH.slice(1)}g`, 'a pin that is not hexadecimal'],
  [`x@sha256:${HASH}@sha256:${HASH}`, 'two pins'],
  [`${'x'.repeat(185)}@sha256:${HASH}`, 'one character too many with its pin'],
])('%j is no reference: %s', (text) => {
  expect(parseModelReference(text)).toBeUndefined()
  expect(isModelReference(text)).toBe(false)
})

test('a pin is the same in upper and lower case, and a pinned name is none that operators offer', () => {
  const reference = parseModelReference(`llama3:8b@sha256:${HASH.toUpperCase()}`)
  expect(reference).toEqual({ name: 'llama3:8b', sha256: `0x${HASH}` })
  expect(modelReferenceText(reference ?? { name: '' })).toBe(`llama3:8b@sha256:${HASH}`)
  expect(isModelName(`llama3:8b@sha256:${HASH}`)).toBe(false)
})

test('look-alikes are different names: nothing is normalized', () => {
  const [one, other] = ['\u00e9', 'e\u0301'].map((name) => parseModelReference(name))
  expect(one).not.toEqual(other)
})

const anyName = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 150 })
  .filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text) && !text.includes('@sha256:'))

test('property: the text of a reference parses to that reference', () => {
  const digits = fc.stringMatching(/^[0-9a-f]{64}$/)
  fc.assert(
    fc.property(anyName, fc.option(digits, { nil: undefined }), (name, hash) => {
      const reference = hash === undefined ? { name } : { name, sha256: `0x${hash}` as const }
      expect(parseModelReference(modelReferenceText(reference))).toEqual(reference)
    }),
  )
})

test('property: whatever is accepted has 1 to 256 characters, no control character and well-formed UTF-16', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const reference = parseModelReference(text)
      if (reference === undefined) return
      expect(Array.from(text).length).toBeLessThanOrEqual(256)
      expect(Buffer.from(text).toString()).toBe(text)
      expect(/\p{Cc}/u.test(text)).toBe(false)
      expect(parseModelReference(modelReferenceText(reference))).toEqual(reference)
    }),
  )
})
