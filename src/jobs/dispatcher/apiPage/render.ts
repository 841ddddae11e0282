/**
 * Renders the OpenAPI document as plain HTML without scripts, so that the page's content security policy can forbid all
 * of them.
 */
import { z } from 'zod'

/** Deeper parts are not listed; a schema may contain itself. */
const MAX_DEPTH = 6

type Schema = Readonly<Record<string, unknown>>

const record = z.record(z.string(), z.unknown())
const parameter = z.looseObject({
  name: z.string(),
  in: z.string(),
  required: z.boolean().optional(),
  description: z.string().optional(),
})
const operation = z.looseObject({
  summary: z.string().default(''),
  parameters: z.array(parameter).default([]),
  requestBody: z.looseObject({ content: record.default({}) }).optional(),
  responses: record.default({}),
})
const document = z.looseObject({
  info: z.looseObject({
    title: z.string(),
    version: z.string(),
    description: z.string().default(''),
  }),
  paths: z.record(z.string(), record),
})

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char)
}

function asSchema(value: unknown): Schema | undefined {
  return record.safeParse(value).data
}

/** Resolves `$ref` in the document; the keys next to it come first. The schema itself if it is none. */
function resolve(schema: Schema, root: Schema): Schema {
  const { $ref: reference } = schema
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema
  const target = reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => asSchema(value)?.[key], root)
  const { $ref: _reference, ...own } = schema
  return { ...asSchema(target), ...own }
}

/** The type of a value in a few words. */
function typeText(given: Schema, root: Schema): string {
  const schema = resolve(given, root)
  const { type, enum: values, const: constant, items, anyOf } = schema
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(anyOf))
    return anyOf.map((each) => typeText(asSchema(each) ?? {}, root)).join(' | ')
  if (type === 'array') return `array of ${typeText(asSchema(items) ?? {}, root)}`
  return typeof type === 'string' ? type : 'any'
}

const LIMITS: Readonly<Record<string, string>> = {
  minimum: 'min',
  maximum: 'max',
  minLength: 'min length',
  maxLength: 'max length',
  minItems: 'min items',
  maxItems: 'max items',
  pattern: 'pattern',
  default: 'default',
}

function notes(schema: Schema): string {
  const limits = Object.entries(LIMITS)
    .filter(([key]) => key in schema && Math.abs(Number(schema[key])) !== Number.MAX_SAFE_INTEGER)
    .map(([key, text]) => `${text} ${JSON.stringify(schema[key])}`)
  const { description } = schema
  return [typeof description === 'string' ? description : '', limits.join(', ')]
    .filter((part) => part !== '')
    .join(' ')
}

/** Rows for the properties of an object; those of nested objects are listed by their path. */
function rows(given: Schema, root: Schema, prefix = '', depth = 0): string {
  if (depth > MAX_DEPTH) return ''
  const schema = resolve(given, root)
  const properties = asSchema(schema['properties']) ?? {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(properties)
    .map(([name, value]) => {
      const property = resolve(asSchema(value) ?? {}, root)
      const inner = resolve(asSchema(property['items']) ?? property, root)
      const mark = required.includes(name) ? ' <b>required</b>' : ''
      const path = `${prefix}${name}`
      return `<tr><td><code>${escapeHtml(path)}</code>${mark}</td><td>${escapeHtml(typeText(property, root))}</td><td>${escapeHtml(notes(property))}</td></tr>\n${rows(inner, root, `${path}.`, depth + 1)}`
    })
    .join('')
}

function table(body: string): string {
  return body === '' ? '' : `<table>\n${body}</table>\n`
}

function jsonSchemaOf(content: unknown): Schema {
  const media = asSchema(asSchema(content)?.['application/json'])
  return asSchema(media?.['schema']) ?? {}
}

function operationHtml(method: string, path: string, value: unknown, root: Schema): string {
  const parsed = operation.safeParse(value).data
  if (parsed === undefined) return ''
  const { summary, parameters, requestBody, responses } = parsed
  const given = parameters
    .map(
      (each) =>
        `<tr><td><code>${escapeHtml(each.name)}</code>${each.required === true ? ' <b>required</b>' : ''}</td><td>${escapeHtml(each.in)}</td><td>${escapeHtml(each.description ?? '')}</td></tr>\n`,
    )
    .join('')
  const success = rows(jsonSchemaOf(asSchema(responses['200'])?.['content']), root)
  const codes = Object.keys(responses).join(', ')
  const id = `${method}${path}`.replaceAll(/[^a-z0-9]+/gi, '-')
  return [
    `<section id="${escapeHtml(id)}">`,
    `<h2><span>${escapeHtml(method.toUpperCase())}</span> <code>${escapeHtml(path)}</code></h2>`,
    `<p>${escapeHtml(summary)}</p>`,
    given === '' ? '' : `<h3>Parameters</h3>${table(given)}`,
    requestBody === undefined
      ? ''
      : `<h3>Body</h3>${table(rows(jsonSchemaOf(requestBody.content), root))}`,
    success === '' ? '' : `<h3>Answer</h3>${table(success)}`,
    `<p>Statuses: ${escapeHtml(codes)}</p>`,
    '</section>',
  ].join('\n')
}

/** The page. Throws ZodError when the input is not an OpenAPI document. */
export function renderApiPage(openapi: unknown): string {
  const { info, paths } = document.parse(openapi)
  const root = asSchema(openapi) ?? {}
  const sections = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, value]) => operationHtml(method, path, value, root)),
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)}</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<header><h1>${escapeHtml(info.title)} ${escapeHtml(info.version)}</h1>
<p>${escapeHtml(info.description)} As an OpenAPI document: <a href="/openapi.json">openapi.json</a>.</p></header>
<main>
${sections.join('\n')}
</main>
</body>
</html>
`
}
