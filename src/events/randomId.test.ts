import { expect, test } from 'vitest'
import { randomId } from './randomId.ts'

// Holds D45.
test('ids have 32 hex digits, never start with 0, and do not repeat', () => {
  const ids = Array.from({ length: 500 }, randomId)
  expect(ids.filter((id) => !/^0x[1-9a-f][0-9a-f]{31}$/.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(500)
})
