import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toHexDigits } from '../../base/hex.ts'
import { parseMessage } from './protobuf.ts'
import { decodeTimestamp, encodeTimestamp, formatTime, parseTime } from './time.ts'
import { ZERO_TIME_NS } from './types.ts'

const ANY_TIME = fc.bigInt({ min: ZERO_TIME_NS, max: 253_402_300_799_999_999_999n })

test("Go's zero time has its own bytes and text", () => {
  expect(toHexDigits(encodeTimestamp(ZERO_TIME_NS))).toBe('088092b8c398feffffff01')
  expect(formatTime(ZERO_TIME_NS)).toBe('0001-01-01T00:00:00Z')
})

test('trailing zeros of the fraction are cut', () => {
  expect(formatTime(1_684_332_773_088_875_120n)).toBe('2023-05-17T14:12:53.08887512Z')
  expect(formatTime(0n)).toBe('1970-01-01T00:00:00Z')
})

test('dates agree with those of the JavaScript engine', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), noInvalidDate: true, max: new Date(4e12) }), (date) => {
      expect(parseTime(date.toISOString())).toBe(BigInt(date.getTime()) * 1_000_000n)
    }),
  )
})

test('every instant survives text and record', () => {
  fc.assert(
    fc.property(ANY_TIME, (time) => {
      expect(parseTime(formatTime(time))).toBe(time)
      expect(decodeTimestamp(parseMessage(encodeTimestamp(time)))).toBe(time)
    }),
  )
})

test('offsets are applied and impossible dates are refused', () => {
  expect(parseTime('1970-01-01T01:00:00+01:00')).toBe(0n)
  expect(parseTime('2023-02-29T00:00:00Z')).toBeUndefined()
  expect(parseTime('2023-01-01T24:00:00Z')).toBeUndefined()
  expect(parseTime('2023-01-01')).toBeUndefined()
})
