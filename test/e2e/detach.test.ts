import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isRunning } from '../../src/base/processes.ts'
import { readUpFile } from '../../src/cli/upFile.ts'
import { freePorts, newHome, post, runAssay } from '../support/assay.ts'

const home = newHome()
let printed: Awaited<ReturnType<typeof runAssay>>

beforeAll(async () => {
  printed = await runAssay(['up', '--detach', '--home', home, ...freePorts])
})
afterAll(async () => {
  await runAssay(['down', '--home', home])
  fs.rmSync(path.dirname(home), { recursive: true, force: true })
})

test('a system in the background is ready when its command returns, and says how to stop it', async () => {
  expect(printed.output).toContain('Assay is ready.')
  expect(printed.output).toMatch(/ down --home \S+ stops everything/)
  expect(printed.code).toBe(0)
  const up = readUpFile(path.join(home, 'up.json'))
  const { body } = await post(up?.rpc ?? '', {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_blockNumber',
    params: [],
  })
  expect(body).toHaveProperty('result')
  // The banner shows keys and tokens, which are in no log.
  const logs = fs.readdirSync(path.join(home, 'logs'))
  for (const name of logs)
    expect(fs.readFileSync(path.join(home, 'logs', name), 'utf8')).not.toContain(up?.token)
})

test('a second one is refused with the reason, and leaves the first alone', async () => {
  const second = await runAssay(['up', '--detach', '--home', home, ...freePorts])
  expect(second.code).toBe(1)
  expect(second.output).toMatch(/is in use by process \d+/)
  expect((await runAssay(['status', '--home', home])).code).toBe(0)
})

test('down stops everything and waits for it; where nothing runs it says so', async () => {
  const { pid = 0 } = readUpFile(path.join(home, 'up.json')) ?? {}
  expect(await runAssay(['down', '--home', home])).toMatchObject({
    code: 0,
    output: expect.stringContaining('Everything is stopped'),
  })
  expect(isRunning({ pid, started: '' })).toBe(false)
  expect(fs.existsSync(path.join(home, 'up.json'))).toBe(false)
  expect((await runAssay(['down', '--home', home])).output).toContain('Nothing is running')
  expect((await runAssay(['down', '--home', `${home}-none`])).code).toBe(1)
})
