import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { homePaths, type Home } from '../config/home.ts'
import { completeHome } from './newHome.ts'

let folder: string | undefined

function newHome(): Home {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-home-'))
  return homePaths(path.join(folder, 'home'))
}
afterEach(() => {
  vi.unstubAllEnvs()
  if (folder !== undefined) fs.rmSync(folder, { recursive: true })
  folder = undefined
})

test('a preset project is kept, however short its token, and another preset wins only while it is set', async () => {
  const home = newHome()
  vi.stubEnv('ASSAY_PROJECT', 'demo')
  vi.stubEnv('ASSAY_PROJECT_TOKEN', 'secret')
  expect(await completeHome(home)).toMatchObject({ project: 'demo', token: 'secret' })

  vi.stubEnv('ASSAY_PROJECT', 'other')
  vi.stubEnv('ASSAY_PROJECT_TOKEN', undefined)
  const other = await completeHome(home)
  expect(other.project).toBe('other')
  expect(other.token).not.toBe('secret')

  vi.stubEnv('ASSAY_PROJECT', undefined)
  expect(await completeHome(home)).toMatchObject({ project: 'demo', token: 'secret' })
})

test('a preset that cannot be a project is refused and not remembered', async () => {
  const home = newHome()
  vi.stubEnv('ASSAY_PROJECT', 'my project')
  await expect(completeHome(home)).rejects.toThrow('"my project" is not a valid project id')
  vi.stubEnv('ASSAY_PROJECT', undefined)
  expect((await completeHome(home)).project).toMatch(/^project-/)
})

test.each(['{', '{"project":5}', '{"passphrase":"a","project":"b"}'])(
  'secrets that somebody damaged are refused, not half believed: %s',
  async (text) => {
    const home = newHome()
    await completeHome(home)
    fs.writeFileSync(home.secrets, text)
    await expect(completeHome(home)).rejects.toThrow(home.secrets)
  },
)

test('a chain without its genesis.json gets no other one', async () => {
  const home = newHome()
  await completeHome(home)
  const signed = JSON.parse(fs.readFileSync(home.validatorState, 'utf8')) as object
  fs.writeFileSync(home.validatorState, JSON.stringify({ ...signed, height: '7' }))
  fs.rmSync(home.genesis)
  await expect(completeHome(home)).rejects.toThrow('genesis.json is missing')
  expect(fs.existsSync(home.genesis)).toBe(false)
})
