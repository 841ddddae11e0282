import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mainFile } from '../../test/support/assay.ts'
import { requireFreshBuild } from '../../test/support/freshBuild.ts'
import { startModelServer } from '../../test/support/modelServer.ts'
import { encodeGguf } from '../inference/ggufWriter.ts'
import { ensureTinyModel, generateTinyModel, TINY_MODEL_SHA256 } from '../inference/tinyModel.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-model-'))

beforeAll(() => requireFreshBuild())
afterAll(() => fs.rmSync(folder, { recursive: true }))

const model = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [mainFile, 'model', ...args], { encoding: 'utf8' })
const run = (file: string) => model('hash', file)

/** A valid file of an architecture that the engine of opml jobs does not support. */
function mamba(): string {
  const file = path.join(folder, 'mamba.gguf')
  const metadata = {
    'general.architecture': { type: 'string', value: 'mamba' },
    'mamba.context_length': { type: 'uint32', value: 64 },
  } as const
  fs.writeFileSync(file, encodeGguf(metadata, []))
  return file
}

test('the hashes of a model are printed', async () => {
  const { stdout } = await run(ensureTinyModel(folder))
  expect(stdout).toContain(`sha256        0x${TINY_MODEL_SHA256}\narchitecture  llama\n`)
  expect(stdout).toContain('model root    0x6190791bbae97cab')
})

test('an architecture that opml jobs cannot use is an error that names those they can', async () => {
  await expect(run(mamba())).rejects.toMatchObject({
    stdout: expect.stringContaining('sha256') as string,
    stderr: expect.stringContaining('architecture is "mamba"; supported: llama') as string,
  })
})

test('a model is added to a home under a name, once, and listed with the jobs that it is for', async () => {
  const home = path.join(folder, 'home')
  const file = ensureTinyModel(folder)
  const { stdout } = await model('add', file, '--home', home, '--name', 'own.gguf')
  expect(stdout).toContain(TINY_MODEL_SHA256)
  expect(fs.readFileSync(path.join(home, 'models', 'own.gguf'))).toEqual(fs.readFileSync(file))
  await expect(model('add', file, '--home', home, '--name', 'own.gguf')).rejects.toMatchObject({
    stderr: expect.stringContaining('already') as string,
  })
  await expect(model('add', file, '--home', home, '--name', 'x\ny')).rejects.toMatchObject({
    stderr: expect.stringContaining('"x?y" is not a valid model name') as string,
  })
  await expect(model('add', mamba(), '--home', home)).rejects.toMatchObject({
    stderr: expect.stringContaining('supported: llama') as string,
  })
  await model('add', mamba(), '--home', home, '--any-engine')
  fs.writeFileSync(path.join(home, 'models', 'bad.gguf'), 'no model')
  const { stdout: listed } = await model('list', '--home', home)
  expect(listed).toMatch(/^bad\.gguf +0\.0 MB/m)
  expect(listed).toMatch(/^mamba\.gguf +0\.0 MB +mamba +tee +0x/m)
  expect(listed).toMatch(/^own\.gguf +\d+\.\d MB +llama +opml tee +0x/m)
  expect(fs.readdirSync(path.join(home, 'models'))).toEqual(['bad.gguf', 'mamba.gguf', 'own.gguf'])
})

test('a model is fetched from a hub once, listed, and removed', async () => {
  const server = await startModelServer()
  const headers = { location: '/cdn/tiny', 'x-linked-etag': `"${TINY_MODEL_SHA256}"` }
  server.pages.set('/org/repo/resolve/main/own.gguf', { status: 302, headers })
  server.files.set('/cdn/tiny', generateTinyModel())
  server.faults.push({ kind: 'cut', after: 1000 })
  const home = path.join(folder, 'fetched')
  const env = { ...process.env, HF_ENDPOINT: server.url }
  const run = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [mainFile, 'model', ...args, '--home', home], { env })
  try {
    const { stdout } = await run('get', 'hf:org/repo@main/own.gguf')
    expect(stdout).toContain(`sha256        0x${TINY_MODEL_SHA256}`)
    expect(stdout).toContain('model root    0x6190791bbae97cab')
    expect(stdout).toContain('serve it within seconds')
    expect((await run('get', 'hf:org/repo@main/own.gguf')).stdout).toContain(
      'It was there already.',
    )
    expect(server.asked.filter(({ path: at }) => at === '/cdn/tiny')).toHaveLength(2)
    expect((await run('list')).stdout).toMatch(/^own\.gguf .*\n\n1 more: assay model list --all$/m)
    expect((await run('list', '--all')).stdout).toMatch(
      /^smollm2:135m +98\.4 MB +Apache-2\.0 +8192 +SmolLM2-135M-Instruct$/m,
    )
    await run('get', 'hf:org/repo@main/own.gguf', '--name', 'own:1b')
    expect((await run('list')).stdout).toMatch(/^own:1b .*0x3b92/m)
    await expect(
      run('get', 'hf:org/repo@main/own.gguf', '--name', 'no\tname'),
    ).rejects.toMatchObject({
      stderr: expect.stringContaining('is not a valid model name') as string,
    })
    expect((await run('rm', 'own:1b')).stdout).toContain('Removed')
    expect((await run('list')).stdout).not.toContain('own')
    expect(fs.existsSync(path.join(home, 'models', 'own.gguf'))).toBe(false)
    await expect(run('rm', 'own.gguf')).rejects.toMatchObject({
      stderr: expect.stringContaining('there is no own.gguf') as string,
    })
  } finally {
    await server.close()
  }
})

test('a name that is no file name is kept in the table of the folder, and leads to no file outside', async () => {
  const home = path.join(folder, 'named')
  const models = path.join(home, 'models')
  const file = ensureTinyModel(folder)
  await model('add', file, '--home', home, '--name', '../x.gguf')
  expect(fs.readdirSync(home)).toEqual(['models'])
  expect(fs.readdirSync(models)).toEqual(['names.json', 'tiny.gguf'])
  await model('name', 'llama3:8b', 'tiny.gguf', '--home', home)
  const { stdout: listed } = await model('list', '--home', home)
  for (const name of ['../x.gguf', 'llama3:8b', 'tiny.gguf'])
    expect(listed).toMatch(new RegExp(`^${name.replaceAll('.', '.')} +\\d+.\\d MB +llama`, 'm'))
  await model('name', '--remove', 'llama3:8b', '--home', home)
  expect((await model('list', '--home', home)).stdout).not.toContain('llama3:8b')
  await expect(model('name', 'x', 'missing.gguf', '--home', home)).rejects.toMatchObject({
    stderr: expect.stringContaining('there is no file missing.gguf') as string,
  })
  await expect(model('name', 'x', '../tiny.gguf', '--home', home)).rejects.toMatchObject({
    stderr: expect.stringContaining('there is no file ../tiny.gguf') as string,
  })
})
