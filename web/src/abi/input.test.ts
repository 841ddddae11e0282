import { expect, test } from 'vitest'
import { parseInput } from './input.ts'
import { parseType } from './parse.ts'
import { AbiError } from './types.ts'

const read = (type: string, text: string) => parseInput(parseType(type), text)

test('numbers are read in decimal and hex, with every digit', () => {
  expect(
    read(
      'uint256',
      ' 115792089237316195423570985008687907853269984665640564039457584007913129639935 ',
    ),
  ).toBe(2n ** 256n - 1n)
  expect(read('uint8', '0xff')).toBe(255n)
  expect(read('int64', '-1_000')).toBe(-1000n)
  expect(() => read('uint8', '1.5')).toThrow(AbiError)
  expect(() => read('uint8', '')).toThrow(AbiError)
})

test('lists are JSON, in which large numbers keep their digits and texts stay texts', () => {
  expect(read('uint256[]', '[12345678901234567890123, 0]')).toEqual([12345678901234567890123n, 0n])
  expect(read('string[]', '["12", "a \\"1\\" b"]')).toEqual(['12', 'a "1" b'])
  expect(read('(address,bool)[1]', '[["0x00", true]]')).toEqual([['0x00', true]])
  expect(() => read('uint256[]', '[1,')).toThrow('as JSON')
  expect(() => read('(bool)', '[true, true]')).toThrow('too many')
})
