/** The whole checkout against every rule. */
import { expect, test } from 'vitest'
import { thisCheckout } from './checkout.ts'
import { withoutExceptions } from './exceptions.ts'
import { describeFault } from './fault.ts'
import { modulesOf } from './modules.ts'
import { madeFiles } from './render/files.ts'
import { faultsOf } from './rules/all.ts'

const checkout = thisCheckout()
const modules = modulesOf(checkout)

test('every file can be read', () => {
  const unread = [...modules.values()].filter(({ error }) => error !== undefined)
  expect(unread.map(({ file, error }) => `${file}: ${error}`)).toEqual([])
  expect(modules.size).toBeGreaterThan(1000)
})

test('no rule of the house is broken, and no exception is stale', () => {
  const faults = withoutExceptions(faultsOf(modules, checkout))
  expect(faults.map(describeFault)).toEqual([])
})

test('what is made from the table of rooms is fresh', () => {
  for (const [file, text] of madeFiles(checkout))
    expect(checkout.has(file) ? checkout.read(file) : '', `${file}: run npm run docs`).toBe(text)
})
