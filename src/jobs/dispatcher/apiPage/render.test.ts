import { expect, test } from 'vitest'
import { renderApiPage } from './render.ts'

const page = (schema: object, summary = 'Does it.') =>
  renderApiPage({
    info: { title: 'Jobs', version: '1' },
    components: { schemas: { Inner: { type: 'object', properties: { deep: { const: 7 } } } } },
    paths: {
      '/do': {
        post: {
          summary,
          parameters: [{ name: 'key', in: 'header', description: 'A key.' }],
          requestBody: { content: { 'application/json': { schema } } },
          responses: { 200: {}, 400: {} },
        },
      },
    },
  })

test('routes, parameters, fields, limits and references are shown', () => {
  const html = page({
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', maxLength: 9, description: 'Of whom.' },
      kind: { enum: ['a', 'b'] },
      list: { type: 'array', items: { $ref: '#/components/schemas/Inner' } },
      any: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    },
  })
  for (const part of [
    '<span>POST</span> <code>/do</code>',
    '<code>key</code></td><td>header</td><td>A key.',
    '<code>name</code> <b>required</b></td><td>string</td><td>Of whom. max length 9',
    '&quot;a&quot; | &quot;b&quot;',
    '<code>list.deep</code></td><td>7',
    'string | integer',
    'Statuses: 200, 400',
  ])
    expect(html).toContain(part)
})

test('texts of the document stay texts', () => {
  const evil = '<script>alert(1)</script>"\'&'
  const html = page({ type: 'object', properties: { [evil]: { description: evil } } }, evil)
  expect(html).not.toContain('<script')
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;')
})

test('what is no OpenAPI document is not rendered', () => {
  expect(() => renderApiPage({ paths: 1 })).toThrow('Invalid input')
})
