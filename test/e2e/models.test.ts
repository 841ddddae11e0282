/** Names of models from the terminal and over HTTP: further names, pins, the registry, and operators that serve other files. */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { eventually, post, runAssay } from '../support/assay.ts'

const up = inject('up')
const home = inject('home')
const models = path.join(home, 'models')
const NAME = 'llama 3/tiny:8b'
/** Two files of one name, one after the other: the second is another model. */
const FILE = 'renamed.gguf'

const assay = (...args: readonly string[]) => runAssay(args, { ASSAY_HOME: home })

afterAll(async () => {
  fs.rmSync(path.join(models, FILE), { force: true })
  await assay('model', 'name', NAME, '--remove')
  await assay('dispatcher', 'model', 'rm', FILE)
})

type Entry = {
  model: string
  job_type: string
  pinned: boolean
  identities: { sha256: string; operators: number }[]
}

async function get<T>(route: string): Promise<T> {
  const headers = { authorization: `Bearer ${up.token}` }
  const response = await fetch(up.dispatcher + route, { headers })
  return ((await response.json()) as { result: T }).result
}

/** The file that operators of opml jobs state for a name. */
const statedFor = (name: string) =>
  eventually(async () => {
    const entries = await get<Entry[]>('/api/models')
    const entry = entries.find(({ model, job_type }) => model === name && job_type === 'opml')
    return entry?.identities[0]?.sha256
  }, 40)

const submit = async (model: string, params: object = {}) => {
  const job = { tag: 'opml', prompt: 'What is AI?', model, params: { max_tokens: 4, ...params } }
  const body = { from: up.project, verify: up.token, tag: '', user: 'names', job }
  return (await post(`${up.dispatcher}/api/job/submit`, body)).body as {
    code: number
    result: string
    warnings?: string[]
  }
}

const stateOf = async (id: string) => {
  const { body } = await post(`${up.dispatcher}/api/job/detail`, { job_id: id })
  return (body.result as { state: string }).state
}

const completed = (id: string) =>
  eventually(async () => ((await stateOf(id)) === 'completed' ? true : undefined), 120)

// Holds D58, D143, D144.
test('a name that is no file name is served, and pinned, once the models folder has it', async () => {
  expect((await assay('model', 'name', NAME, 'tiny.gguf')).code).toBe(0)
  const sha256 = await statedFor(NAME)
  const plain = await submit(NAME)
  expect(plain).not.toHaveProperty('warnings')
  const pinned = await submit(`${NAME}@sha256:${sha256.slice(2)}`)
  for (const { result } of [plain, pinned]) await completed(result)
  const { output, code } = await assay('job', 'verify', pinned.result)
  expect(output).toContain(`model "${NAME}" is the file that the job pins, ${sha256}`)
  expect(code).not.toBe(1)
})

// Holds D58.
test.each([
  '../secret.gguf',
  '/etc/passwd',
  'a\\..\\b.gguf',
  '\u202egguf.ynit',
  'ｔｉｎｙ.gguf',
  '模型'.repeat(128),
])('the name %j is only looked up: the job waits, with a warning', async (model) => {
  const { code, result, warnings } = await submit(model)
  expect(code).toBe(200)
  expect(warnings).toEqual([expect.stringContaining('no connected opml operator serves the model')])
  expect(warnings?.join('')).not.toContain('\u202e')
  expect(await stateOf(result)).toBe('created')
  expect((await assay('job', 'cancel', result)).output).toBe('cancelled\n')
})

// Holds D143, D144.
test('another file under a registered name is refused by name, and the right one is served again', async () => {
  fs.copyFileSync(path.join(models, 'tiny.gguf'), path.join(models, FILE))
  await statedFor(FILE)
  const set = await assay('dispatcher', 'model', 'set', FILE, '--served')
  expect(set.output).toMatch(/^renamed\.gguf is 0x[0-9a-f]{64}\n$/)
  expect((await assay('dispatcher', 'model', 'list')).output).toMatch(
    /^renamed\.gguf +database +\d/m,
  )
  fs.appendFileSync(path.join(models, FILE), 'x')
  const reason = await eventually(async () => {
    const operators =
      await get<{ refused: { model: string; reason: string }[] }[]>('/api/operators')
    return operators.flatMap(({ refused }) => refused).find(({ model }) => model === FILE)?.reason
  }, 40)
  expect(reason).toMatch(
    /^serves another file for renamed\.gguf: file 0x\w{64}, not 0x\w{64}; the weights are the same$/,
  )
  const waiting = await eventually(async () => {
    const { result, warnings } = await submit(FILE)
    return warnings === undefined ? undefined : result
  }, 40)
  expect(await stateOf(waiting)).toBe('created')
  fs.copyFileSync(path.join(models, 'tiny.gguf'), path.join(models, FILE))
  await completed(waiting)
})

// Holds D145, D146.
test('jobs are submitted with warnings, listed, cancelled and retried from the terminal', async () => {
  const sent = await assay('job', 'submit', '--model', 'nobody serves this', '--prompt', 'x')
  expect(sent.output).toContain('warning: no connected opml operator serves the model')
  const [id = ''] = /[0-9a-f]{64}/.exec(sent.output) ?? []
  const { output } = await assay('job', 'list', '--model', 'nobody serves this', '--limit', '1')
  expect(output).toMatch(/^id +submitted \(UTC\) +state +type +model +reason$/m)
  expect(output).toMatch(new RegExp(`^${id} .* created +opml +nobody serves this$`, 'm'))
  expect((await assay('job', 'cancel', id)).output).toBe('cancelled\n')
  const listed = await assay('job', 'list', '--state', 'cancelled', '--json', '--limit', '1000')
  const { jobs } = JSON.parse(listed.output) as { jobs: { job_id: string }[] }
  expect(jobs.map(({ job_id }) => job_id)).toContain(id)
  expect((await assay('job', 'retry', id)).output).toBe('created\n')
  expect((await assay('job', 'retry', id)).output).toContain('the job is created')
  await assay('job', 'cancel', id)
  expect((await assay('job', 'list', '--state', 'done')).output).toContain('--state')
})
