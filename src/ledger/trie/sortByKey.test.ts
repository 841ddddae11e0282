import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareBytes } from '../../base/bytes.ts'
import { sortByKey } from './sortByKey.ts'

test('items come in the order of their keys, however long the starts are that keys share', () => {
  // Few different bytes, so that many keys share their first 32 bits.
  const keys = fc.array(fc.uint8Array({ maxLength: 7, max: 2 }), { maxLength: 60 })
  fc.assert(
    fc.property(keys, (list) => {
      const sorted = sortByKey(list.map((key) => ({ key }))).map(({ key }) => key)
      expect(sorted).toEqual(list.toSorted(compareBytes))
    }),
  )
})
