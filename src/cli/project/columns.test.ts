import { expect, test } from 'vitest'
import { columns } from './columns.ts'

test('columns are as wide as their widest cell', () => {
  expect(columns(['id', 'n'], [['long one', '1']])).toBe('id        n\nlong one  1\n')
})
