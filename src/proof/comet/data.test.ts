import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concatBytes } from '../../base/bytes.ts'
import { encodeResultLeaf } from './data.ts'
import { bytesField, varintField } from './protobuf.ts'

const result = fc.record({
  code: fc.nat({ max: 2 ** 32 - 1 }),
  data: fc.uint8Array({ maxLength: 40 }),
  gasWanted: fc.bigInt({ min: -1n, max: 2n ** 63n - 1n }),
  gasUsed: fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 54n }), fc.nat({ max: 300 }).map(BigInt)),
})

test('the leaf of a result is the record of its four fields', () => {
  fc.assert(
    fc.property(result, (some) => {
      const { code, data, gasWanted, gasUsed } = some
      expect(encodeResultLeaf(some)).toEqual(
        concatBytes(
          varintField(1, code),
          bytesField(2, data),
          varintField(5, gasWanted),
          varintField(6, gasUsed),
        ),
      )
    }),
    { numRuns: 500 },
  )
})
