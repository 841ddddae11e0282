import { expect, test } from 'vitest'
import { z } from 'zod'
import { dispatcherRoutes } from '../../test/support/dispatcherRoutes.ts'
import { unboundedParts } from '../../test/support/unboundedParts.ts'
import * as protocol from './protocol.ts'
import * as worker from './worker/api.ts'

/** The parts of a request that a schema reads. */
const PARTS = ['body', 'params', 'querystring', 'headers'] as const

// Holds D70.
test('every list, record and text that a route of the dispatcher takes has a maximum, and none takes a body without a schema', async () => {
  const routes = await dispatcherRoutes()
  expect(routes.length).toBeGreaterThan(14)
  const found: string[] = []
  for (const { method, url, schema: parts } of routes) {
    if (method === 'POST' && !(parts['body'] instanceof z.ZodType)) found.push(`${url}: any body`)
    if (url.includes(':') && !(parts['params'] instanceof z.ZodType)) found.push(`${url}: any path`)
    for (const name of PARTS) {
      const part = parts[name]
      if (part instanceof z.ZodType) found.push(...unboundedParts(part, `${url} ${name}`))
    }
  }
  expect(found).toEqual([])
})

test.each([
  ['dispatcher and operator', protocol, 11],
  ['operator and worker', worker, 4],
])('every message between %s has a maximum', (_, module, least) => {
  const schemas = Object.entries(module).filter(([, value]) => value instanceof z.ZodType)
  expect(schemas.length).toBeGreaterThanOrEqual(least)
  const parts = schemas.flatMap(([name, schema]) => unboundedParts(schema as z.ZodType, name))
  expect(parts).toEqual([])
})
