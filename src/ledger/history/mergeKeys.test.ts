import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { postingsOf } from './mergeKeys.ts'

test('every key comes once, in ascending order, with the heights of all blocks that changed it', () => {
  const key = fc.uint8Array({ minLength: 1, maxLength: 3, max: 3 })
  const block = fc.uniqueArray(key, { selector: toHexDigits, maxLength: 12 })
  fc.assert(
    fc.property(fc.array(block, { maxLength: 9 }), (lists) => {
      const expected = new Map<string, number[]>()
      for (const [height, list] of lists.entries())
        for (const each of list) {
          const text = toHexDigits(each)
          expected.set(text, [...(expected.get(text) ?? []), height])
        }
      const blocks = lists.map((list, height) => ({ height, keys: list.toSorted(compareBytes) }))
      const postings = [...postingsOf(blocks)]
      expect(new Map(postings.map((each) => [toHexDigits(each.key), each.heights]))).toEqual(
        expected,
      )
      expect(postings.map((each) => each.key)).toEqual(
        postings.map((each) => each.key).toSorted(compareBytes),
      )
      expect(postings).toHaveLength(expected.size)
    }),
  )
})
