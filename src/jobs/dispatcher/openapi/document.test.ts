import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { dispatcherDocument, dispatcherRoutes } from '../../../../test/support/dispatcherRoutes.ts'
import { dereferenced, operationsOf } from '../../../../test/support/openApi.ts'
import { openApiDocument } from './document.ts'
import { named } from './named.ts'

const document = dispatcherDocument()

async function lint(source: object): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const options = { source: JSON.stringify(source), absoluteRef: 'openapi.json', config }
  return (await lintFromString(options)).map(
    ({ ruleId, location: [at] }) => `${ruleId} ${at?.pointer}`,
  )
}

// Holds D149.
test('a linter of the format finds nothing', { timeout: 60_000 }, async () => {
  expect(await lint(document)).toEqual([])
  const { servers: _servers, ...without } = document
  expect(await lint(without)).toEqual([expect.stringContaining('no-empty-servers')])
})

test('every route has an operation of its own, with group, security and errors', async () => {
  const routes = (await dispatcherRoutes()).filter(
    ({ method, schema }) => method !== 'HEAD' && schema['hide'] !== true,
  )
  const { tags } = dereferenced(document)
  const operations = operationsOf(dereferenced(document))
  expect(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
    routes
      .map(
        ({ method, url }) =>
          `${method} ${url.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{rest}')}`,
      )
      .sort(),
  )
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { path, operation } of operations) {
    expect(operation.summary, path).toMatch(/\.$/)
    expect(operation.security, path).toBeDefined()
    for (const tag of operation.tags) expect(tags.map(({ name }) => name)).toContain(tag)
    expect(Object.keys(operation.responses), path).toEqual(
      expect.arrayContaining(['200', '403', '500', '503']),
    )
    expect(operation.responses['503']?.headers, path).toHaveProperty('retry-after')
    expect(operation.responses['200']?.headers, path).toHaveProperty('x-request-id')
  }
})

test('examples fit the schemas that they stand for', () => {
  const { schemas } = dereferenced(document).components
  const ajv = new Ajv2020({ strict: false, validateSchema: false })
  const named = Object.entries(schemas).filter(([, { examples }]) => examples !== undefined)
  expect(named.length).toBeGreaterThan(10)
  for (const [name, schema] of named)
    for (const example of schema['examples'] as readonly unknown[])
      expect(ajv.validate(schema, example), `${name}: ${ajv.errorsText()}`).toBe(true)
})

test('streams, texts and tokens are described as they are', () => {
  const { paths } = dereferenced(document)
  const stream = paths['/api/job/events/{job_id}']?.['get']
  expect(Object.keys(stream?.responses['200']?.content ?? {})).toEqual(['text/event-stream'])
  expect(stream?.parameters).toContainEqual(
    expect.objectContaining({ name: 'last-event-id', in: 'header', required: false }),
  )
  expect(Object.keys(paths['/metrics']?.['get']?.responses['200']?.content ?? {})).toEqual([
    'text/plain',
  ])
  expect(paths['/metrics']?.['get']?.security).toEqual([])
  expect(paths['/api/job/submit']?.['post']?.security).toEqual([{ projectToken: [] }, {}])
})

test('a schema that callers may send with less than responses have is two components', () => {
  const part = named('Part', z.object({ size: z.int().default(1) }))
  const { components } = openApiDocument(
    [{ method: 'POST', url: '/v1/parts/*', schema: { body: part, response: { 200: part } } }],
    '1',
  ) as { components: { schemas: Record<string, { required?: readonly string[] }> } }
  expect(components.schemas['Part']?.required).toBeUndefined()
  expect(components.schemas['PartOutput']?.required).toEqual(['size'])
})

test('a route that says nothing about itself has an operation all the same', () => {
  const { paths } = dereferenced(
    openApiDocument([{ method: 'GET', url: '/api/things/:id/*', schema: {} }], '1'),
  )
  expect(paths['/api/things/{id}/{rest}']?.['get']).toMatchObject({
    operationId: 'getApiThingsId',
    tags: ['network'],
    security: [{ projectToken: [] }],
    parameters: [
      { name: 'id', in: 'path', required: true },
      { name: 'rest', in: 'path', required: true },
    ],
  })
})
