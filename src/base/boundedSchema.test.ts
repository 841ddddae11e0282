// Holds D70.
import { expect, test } from 'vitest'
import { z } from 'zod'
import { unboundedParts } from '../../test/support/unboundedParts.ts'
import {
  guarded,
  list,
  oneOfForms,
  parseToFirstIssue,
  record,
  scalarText,
  text,
  within,
} from './boundedSchema.ts'

const few = { values: 4, characters: 10 }

function messagesOf(schema: z.ZodType, value: unknown): readonly string[] {
  const { error } = parseToFirstIssue(schema, value)
  return (error?.issues ?? []).map(({ path, message }) => [...path, message].join(' '))
}

test.each<readonly [string, z.ZodType, unknown, unknown, string]>([
  ['a text', text(3), 'abc', 'abcd', 'too long: at most 3 characters'],
  ['a list', list(z.int(), 2), [1, 2], [1, 2, 3], 'too long: at most 2 elements'],
  ['a record', record(z.int(), 1), { a: 1 }, { a: 1, b: 'x' }, 'too long: at most 1 members'],
  [
    'a value of any shape',
    within(z.unknown(), few),
    { a: [1, 'x'] },
    [[[[1]]]],
    'too long: at most 4 values with 10 characters',
  ],
  [
    'its texts',
    within(z.unknown(), few),
    ['abcde', 'fghij'],
    { abcde: 'fghijk' },
    'too long: at most 4 values with 10 characters',
  ],
  [
    'a part of an object',
    z.object({ a: record(z.int(), 1).nullish() }),
    { a: null },
    { a: { a: 1, b: 1 } },
    'a too long: at most 1 members',
  ],
])('%s has a maximum, and the error says which', (_, schema, right, wrong, message) => {
  expect(messagesOf(schema, right)).toEqual([])
  expect(messagesOf(schema, wrong)).toEqual([message])
})

test('what is too large is refused before any of it is read', () => {
  let reads = 0
  const counted = z.int().transform((value) => {
    reads++
    return value
  })
  const huge = Array.from({ length: 100_000 }, () => 1)
  expect(messagesOf(list(counted, 10), huge)).toHaveLength(1)
  expect(messagesOf(record(counted, 10), Object.fromEntries(Object.entries(huge)))).toHaveLength(1)
  expect(messagesOf(within(z.array(counted), few), huge)).toHaveLength(1)
  expect(reads).toBe(0)
})

test('the first issue ends the reading of a list', () => {
  let reads = 0
  const counted = z.unknown().transform((_, context) => {
    reads++
    context.addIssue('wrong')
    return z.NEVER
  })
  expect(messagesOf(list(counted, 1000), Array.from({ length: 1000 }))).toHaveLength(1)
  expect(reads).toBe(1)
})

test('the search for parts without a maximum finds each kind of them, and only those', () => {
  const bounded = z.object({
    text: text(5),
    pattern: z.string().regex(/^0x[0-9a-f]{1,4}$/),
    id: z.uuid(),
    list: list(z.tuple([scalarText(), z.boolean()]), 5).nullish(),
    record: record(z.literal('a'), 5),
    own: within(z.looseObject({}), few).optional(),
    forms: oneOfForms(() => [z.int(), scalarText()]).transform(String),
    either: z.union([z.int(), text(5)]).default(1),
  })
  expect(unboundedParts(bounded)).toEqual([])
  const parts: Readonly<Record<string, z.ZodType>> = {
    text: z.string().min(5),
    pattern: z.string().regex(/^[a-z]+$/),
    start: z.string().regex(/^a{3}/),
    list: z.array(z.int()),
    items: list(z.array(z.int()), 5),
    record: z.record(scalarText(), z.int()),
    keys: record(z.int(), 5, z.string()),
    copied: record(z.int(), 5).meta({ description: 'a copy has no guard' }),
    open: z.looseObject({}),
    unknown: z.unknown(),
    custom: z.custom(() => true),
    big: z.bigint(),
    rest: z.tuple([z.int()], z.int()),
    form: oneOfForms(() => [z.string()]),
    transformed: z.string().transform(Number).nullish(),
    guardedList: guarded(z.array(z.string()), { max: 5, unit: 'x', measure: () => 0 }),
  }
  for (const [name, part] of Object.entries(parts))
    expect(unboundedParts(z.object({ [name]: part })), name).not.toEqual([])
})
