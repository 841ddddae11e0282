import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import {
  DerError,
  readBits,
  readBoolean,
  readChildren,
  readDer,
  readEcdsaSignature,
  readInteger,
  readOid,
  readSmallInteger,
  readTime,
  TAG,
} from './der.ts'
import { parseCertificate } from './x509.ts'

const value = (hex: string) => {
  const bytes = fromHex(hex)
  return readDer(bytes, bytes[0] ?? 0)
}

test('object identifiers, times and numbers are read', () => {
  expect(readOid(value('06082a8648ce3d030107'))).toBe('1.2.840.10045.3.1.7')
  expect(readOid(value('0603551d13'))).toBe('2.5.29.19')
  expect(readTime(value('170d3439313233313233353935395a'))).toBe(Date.UTC(2049, 11, 31, 23, 59, 59))
  expect(readTime(value('170d3530303130313030303030305a'))).toBe(Date.UTC(1950, 0, 1))
  expect(readTime(value('180f32303530303130313030303030305a'))).toBe(Date.UTC(2050, 0, 1))
  expect(readSmallInteger(value('02020080'))).toBe(128)
  expect(readBoolean(value('0101ff'))).toBe(true)
  const signature = fromHex('3007020101020200ff')
  expect(toHexDigits(readEcdsaSignature(signature, 2))).toBe('000100ff')
})

test.each<[string, () => unknown]>([
  ['an indefinite length', () => value('30800000')],
  ['a long form of a short length', () => value('30810100')],
  ['a length of four bytes', () => value('308400000001ff')],
  ['a length beyond the end', () => value('300501')],
  ['bytes left over', () => value('300000')],
  ['another tag', () => readDer(fromHex('3100'), TAG.sequence)],
  ['a tag of several bytes', () => value('3f810100')],
  ['a padded integer', () => readInteger(value('02020001'))],
  ['an empty integer', () => readInteger(value('0200'))],
  ['a negative version', () => readSmallInteger(value('0201ff'))],
  ['a boolean of another value', () => readBoolean(value('010101'))],
  ['a padded object identifier', () => readOid(value('0602807f'))],
  ['an object identifier that ends early', () => readOid(value('060188'))],
  ['an unused bit', () => readBits(value('03020180'))],
  ['the 31st of February', () => readTime(value('170d3235303233313030303030305a'))],
  ['a time without Z', () => readTime(value('170c323530323031303030303030'))],
  ['a signature of one number', () => readEcdsaSignature(fromHex('3003020101'), 32)],
  ['a negative signature', () => readEcdsaSignature(fromHex('3006020181020101'), 32)],
])('%s is refused', (_name, read) => {
  expect(read).toThrow(DerError)
})

test('any bytes are elements or a DerError, and no certificate', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
      try {
        readChildren(readDer(noise, noise[0] ?? 0))
      } catch (error) {
        expect(error).toBeInstanceOf(DerError)
      }
      expect(() => parseCertificate(noise)).toThrow(DerError)
    }),
    { numRuns: 2000 },
  )
})
