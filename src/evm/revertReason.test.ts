import { encodeErrorResult } from 'viem'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromHex } from '../base/hex.ts'
import { revertMessage, revertReason } from './revertReason.ts'

const ERROR = [
  { type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] },
] as const
const PANIC = [
  { type: 'error', name: 'Panic', inputs: [{ name: 'code', type: 'uint256' }] },
] as const

test('the text of Error(string) is found, whatever its characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
      const data = encodeErrorResult({ abi: ERROR, errorName: 'Error', args: [text] })
      expect(revertReason(fromHex(data))).toBe(text)
    }),
  )
})

test.each([
  [1n, 'assert(false)'],
  [17n, 'arithmetic underflow or overflow'],
  [999n, 'unknown panic code: 0x3e7'],
])('Panic(%s) is named', (code, name) => {
  const data = encodeErrorResult({ abi: PANIC, errorName: 'Panic', args: [code] })
  expect(revertMessage(fromHex(data))).toBe(`execution reverted: ${name}`)
})

test('other data, and data that lies about its length, has no reason', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const data = Uint8Array.of(0x08, 0xc3, 0x79, 0xa0, ...bytes)
      expect(['string', 'undefined']).toContain(typeof revertReason(data))
    }),
  )
  expect(revertReason(new Uint8Array(0))).toBeUndefined()
  expect(revertReason(fromHex(`08c379a0${'ff'.repeat(64)}`))).toBeUndefined()
})
