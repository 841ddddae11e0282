import { expect, test } from 'vitest'
import { readQuery, slugOf, targetOf } from './query.ts'

test('a query keeps the first of equal names, and nothing that is too long or too many', () => {
  expect(readQuery('?tab=events&tab=calls&model=a%3Ab%2Fc')).toEqual({
    tab: 'events',
    model: 'a:b/c',
  })
  expect(readQuery(`?tab=${'x'.repeat(601)}`)).toEqual({})
  const many = Array.from({ length: 50 }, (_, at) => `p${at}=1`).join('&')
  expect(Object.keys(readQuery(`?${many}`))).toHaveLength(20)
  expect(readQuery('?__proto__=1')['tab']).toBeUndefined()
})

test('a target names what differs from the beginning alone', () => {
  expect(targetOf('/jobs', {})).toBe('/jobs')
  expect(targetOf('/jobs', { state: '', model: undefined })).toBe('/jobs')
  const target = targetOf('/jobs', { model: 'llama3:8b&x=1', user: 'a b' })
  expect(readQuery(target.slice(target.indexOf('?')))).toEqual({
    model: 'llama3:8b&x=1',
    user: 'a b',
  })
})

test('names of tabs become words of an address', () => {
  expect(slugOf('Node and chain')).toBe('node-and-chain')
  expect(slugOf(' Your stake! ')).toBe('your-stake')
})
