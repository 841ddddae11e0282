import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../../test/support/dispatcher.ts'
import { connectOperator } from '../../../../test/support/scriptedOperator.ts'
import { run } from '../../../../test/support/installed.ts'

const root = path.resolve(import.meta.dirname, '../../../..')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-openapi-'))
let postgres: TestPostgres
let dispatcher: TestDispatcher

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'generated')
})

afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** What somebody writes with the generated client. */
const PROGRAM = `
import { defaults, jobDetail, jobReceipt, jobResults, listModelsServed, submitJob, type JobResult } from './client.js'

const [, , url = '', project = '', token = '', model = ''] = process.argv
defaults.baseUrl = url
defaults.headers = { authorization: 'Bearer ' + token }

const refused = await submitJob({ from: 'nobody', job: { tag: 'opml', prompt: 'p', model } })
if (refused.status !== 401) throw new Error('accepted')
const name: string = refused.data.error

const submitted = await submitJob({ from: project, job: { tag: 'opml', prompt: 'p', model, params: { max_tokens: 3 } } })
if (submitted.status !== 200) throw new Error(submitted.data.message)
const id: string = submitted.data.result

let results: readonly JobResult[] = []
while (results.length === 0) {
  const answer = await jobResults({ job_id: id })
  if (answer.status !== 200) throw new Error(answer.data.message)
  results = answer.data.result
}
const detail = await jobDetail({ job_id: id })
const receipt = await jobReceipt(id)
const models = await listModelsServed()
if (detail.status !== 200 || receipt.status !== 200 || models.status !== 200) throw new Error('failed')
const format: 'assay-receipts/1' | 'assay-receipts/2' = receipt.data.result.format
console.log(JSON.stringify([name, detail.data.result.state, results[0]?.result, format, receipt.data.result.jobId === id, models.data.result.length]))
`

// Holds D149.
test(
  'a client that a generator makes of the document compiles and talks to a dispatcher',
  { timeout: 120_000 },
  async () => {
    const document = await fetch(`http://${dispatcher.httpAddress}/openapi.json`)
    const at = (name: string): string => path.join(folder, name)
    fs.writeFileSync(at('openapi.json'), await document.text())
    fs.writeFileSync(at('package.json'), '{"type":"module"}')
    fs.symlinkSync(path.join(root, 'node_modules'), at('node_modules'))
    const generator = path.join(root, 'node_modules/oazapfts/dist/cli.js')
    await run(process.execPath, [generator, at('openapi.json'), at('client.ts')])
    fs.writeFileSync(at('program.ts'), PROGRAM)
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
    const options = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node']
    const compiled = spawnSync(process.execPath, [tsc, ...options, at('program.ts')], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(compiled.stdout).toBe('')

    const model = 'generated.gguf'
    const operator = await connectOperator(dispatcher, { models: [model] })
    try {
      const { project, token, httpAddress } = dispatcher
      const args = [at('program.js'), `http://${httpAddress}`, project, token, model]
      const talking = run(process.execPath, args)
      operator.send(await operator.answer(await operator.next('dispatch')))
      expect(JSON.parse(await talking)).toEqual([
        'unauthenticated',
        'completed',
        expect.any(String),
        expect.stringMatching(/^assay-receipts\/[12]$/),
        true,
        1,
      ])
    } finally {
      operator.socket.close()
    }
  },
)
