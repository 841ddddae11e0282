import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeSystemLogs, encodeSystemLogs } from './systemLogs.ts'

const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })

test('logs come back out of their record, in their order', () => {
  const log = fc.record({
    address: bytes(20),
    topics: fc.array(bytes(32), { maxLength: 4 }),
    data: fc.uint8Array({ maxLength: 100 }),
  })
  fc.assert(
    fc.property(fc.array(log, { maxLength: 5 }), (logs) => {
      expect(decodeSystemLogs(encodeSystemLogs(logs))).toEqual(logs)
    }),
  )
})
