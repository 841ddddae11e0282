import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberIds } from './numberIds.ts'

test('an id that is a number is found as it was written', () => {
  for (const id of ['7', '1.5', '1234567890123456789', '-0', '1e400', '0.1e-400', '-12.5E+3'])
    for (const body of [
      `{"id":${id},"method":"x"}`,
      ` {\n"method" : "x", "params": [{"id": 1}, "id"], "id" :\t${id} }`,
      `{"id":"a","\\u0069d":${id},"m":{"id":3}}`,
    ])
      expect(numberIds(body)[0], body).toBe(id)
})

test('of a batch, every request has its own', () => {
  expect(
    numberIds('[{"id":1},[{"id":2},3],{"id":"4"},5,{"id":6.5,"params":[7,{"id":8}]}]'),
  ).toEqual(
    // An array in the place of a request has no members.
    ['1', undefined, undefined, undefined, '6.5'],
  )
})

test('other ids, and texts that look like one, are none', () => {
  for (const body of [
    '{"id":"1"}',
    '{"id":null}',
    '{"x":"\\"id\\":1"}',
    '{"id":[1]}',
    '{}',
    '3',
    '""',
  ])
    expect(numberIds(body)[0], body).toBeUndefined()
  expect(numberIds('{"id":1,"id":"2"}')[0]).toBeUndefined()
})

test('whatever else a request holds, its id is found', () => {
  const space = fc.constantFrom('', ' ', '\n', '\t\r ')
  const id = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => String(value))
  fc.assert(
    fc.property(fc.array(fc.tuple(id, fc.jsonValue(), space), { minLength: 1 }), (requests) => {
      const texts = requests.map(
        ([own, params, gap]) =>
          `{${gap}"params"${gap}:${gap}${JSON.stringify(params)},${gap}"id"${gap}:${gap}${own}${gap}}`,
      )
      expect(numberIds(texts[0] ?? '')).toEqual([requests[0]?.[0]])
      expect(numberIds(`[${texts.join(',')}]`)).toEqual(requests.map(([own]) => own))
    }),
    { numRuns: 500 },
  )
})
