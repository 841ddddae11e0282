/** `assay/openai` in a page of somebody else's, with the unmodified `openai` client, as an application would bundle it. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openExplorer, visit, type Explorer, type Visitor } from '../support/browser.ts'

const root = path.resolve(import.meta.dirname, '../..')
const ENTRY = `
import OpenAI from 'openai'
import { createVerifyingFetch } from '${path.join(root, 'dist/sdk/openai.js')}'
globalThis.ask = async ({ url, token, model, trust, stream }) => {
  const found = []
  const client = new OpenAI({
    apiKey: token,
    baseURL: url + '/v1',
    maxRetries: 0,
    dangerouslyAllowBrowser: true,
    fetch: createVerifyingFetch({ trust, onConfirmation: (each) => found.push(each) }),
  })
  const body = { model, messages: [{ role: 'user', content: 'What is AI?' }], max_tokens: 8, temperature: 0 }
  try {
    if (!stream) {
      const { choices } = await client.chat.completions.create(body)
      return { text: choices[0].message.content, verdict: found[0]?.verdict }
    }
    let text = ''
    for await (const chunk of await client.chat.completions.create({ ...body, stream }))
      text += chunk.choices[0]?.delta.content ?? ''
    return { text, verdict: found[0]?.verdict }
  } catch (error) {
    return { error: error.message, verdict: found[0]?.verdict }
  }
}`

type Answer = { readonly text?: string; readonly error?: string; readonly verdict?: string }

/** The page's script, for pages alone. */
async function bundled(): Promise<string> {
  const made = await rolldown({
    input: 'entry',
    platform: 'browser',
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? path.join(root, 'entry.js') : undefined),
        load: (id) => (id === path.join(root, 'entry.js') ? ENTRY : undefined),
      },
    ],
  })
  const { output } = await made.generate({ format: 'iife' })
  const [{ code, imports }] = output
  expect(imports).toEqual([])
  return code
}

describe.skipIf(!hasBrowser)('an application in a page', () => {
  let pages: Server
  let explorer: Explorer
  let visitor: Visitor

  beforeAll(async () => {
    const script = await bundled()
    pages = createServer((request, response) => {
      const isScript = request.url === '/app.js'
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      response.end(isScript ? script : '<!doctype html><script src="/app.js"></script>')
    })
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
    explorer = await openExplorer([`--dispatcher.cors-origins=${origin}`])
    visitor = await visit(origin)
  })

  afterAll(async () => {
    await visitor.close()
    await explorer.close()
    pages.close()
  })

  test('asks with the openai client, whole and streaming, and sees only what verifies', async () => {
    const { up } = explorer
    const { page, watched } = await visitor.open('/')
    const ask = (stream: boolean, dispatcher: string) =>
      page.evaluate<Answer>(
        `ask(${JSON.stringify({
          url: up.dispatcher,
          token: up.token,
          model: up.models[0],
          trust: { dispatcher },
          stream,
        })})`,
      )
    const whole = await ask(false, up.dispatcherAddress)
    expect(whole).toMatchObject({ verdict: 'holds', text: expect.stringMatching(/./s) })
    expect(await ask(true, up.dispatcherAddress)).toEqual(whole)
    const other = await ask(true, `0x${'1'.repeat(40)}`)
    expect(other).toMatchObject({ verdict: 'fails', error: expect.stringMatching(/./) })
    expect(other).not.toHaveProperty('text')
    expect(watched.faults).toEqual([])
  })
})
