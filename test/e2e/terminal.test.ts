import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { eventually, mainFile, newHome, runAssay } from '../support/assay.ts'

const home = inject('home')
const up = inject('up')

const made: string[] = []
afterAll(() => {
  for (const folder of made) fs.rmSync(folder, { recursive: true, force: true })
})

test('status shows what runs, on a screen and as JSON', async () => {
  const { code, output } = await runAssay(['status', '--home', home])
  expect(code).toBe(0)
  for (const word of ['Height', 'Pool', 'Jobs', 'Operators', 'Disk', String(up.chainId)])
    expect(output).toContain(word)
  for (const secret of [up.token, up.rpcToken, up.passphrase]) expect(output).not.toContain(secret)

  const json = await runAssay(['status', '--home', home, '--json'])
  expect(JSON.parse(json.output)).toMatchObject({
    chain: { chainId: up.chainId, isSyncing: false },
    jobs: { created: expect.any(Number) },
    operators: expect.arrayContaining([expect.objectContaining({ workers: ['opml'] })]),
    disk: { freeBytes: expect.any(Number) },
  })
})

test('status of a home where nothing runs says so and exits with 1', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-status-'))
  made.push(folder)
  const environment = {
    ASSAY_JSON_RPC_ADDRESS: '127.0.0.1:1',
    ASSAY_RPC_LADDR: 'tcp://127.0.0.1:1',
    ASSAY_DISPATCHER_ADDRESS: '127.0.0.1:1',
  }
  const { code, output } = await runAssay(['status', '--home', folder], environment)
  expect(code).toBe(1)
  expect(output).toContain('not responding')
  const absent = await runAssay(['status', '--home', path.join(folder, 'absent')])
  expect(absent.output).toContain('there is no home')
})

test('logs of all programs come in the order of time, or of one alone, and follow', async () => {
  const { code, output } = await runAssay(['logs', '--home', home, '-n', '1000'])
  expect(code).toBe(0)
  for (const program of ['node', 'dispatcher', 'opml']) expect(output).toContain(` ${program} `)
  // Without --json a line has no date, and a run may go on over midnight.
  const all = await runAssay(['logs', '--home', home, '-n', '1000', '--json'])
  const times = [...all.output.matchAll(/^\{.*?"time":"([^"]+)"/gm)].map(([, time]) => time ?? '')
  expect(times.length).toBeGreaterThan(5)
  expect(times).toEqual(times.toSorted())

  const node = await runAssay(['logs', 'node', '--home', home, '--json', '-n', '3'])
  for (const line of node.output.trim().split('\n'))
    expect(JSON.parse(line)).toMatchObject({ name: 'node' })
  const unknown = await runAssay(['logs', 'nobody', '--home', home])
  expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('no log for nobody') })

  const following = spawn(process.execPath, [mainFile, 'logs', '-f', '-n', '0', '--home', home])
  let followed = ''
  following.stdout.on('data', (chunk) => (followed += chunk))
  const append = () =>
    fs.appendFileSync(
      path.join(home, 'logs', 'opml.log'),
      `${JSON.stringify({ level: 30, time: new Date().toISOString(), msg: 'a line of the test' })}\n`,
    )
  await eventually(() => {
    append()
    return followed.includes('a line of the test') ? true : undefined
  })
  following.kill('SIGTERM')
})

test('doctor finds a running system well, and names each thing that it looked at', async () => {
  const { code, output } = await runAssay(['doctor', '--home', home])
  for (const what of ['Node', 'Clock', 'Memory', 'Disk', 'Ports', 'PostgreSQL', 'CometBFT', 'TEE'])
    expect(output).toMatch(new RegExp(`^\\S+ +${what}\\b`, 'm'))
  expect({ code, wrong: output.match(/^WRONG.*/gm) }).toEqual({ code: 0, wrong: null })
})

test('doctor says what is wrong and what to do, and exits with 1', async () => {
  const folder = newHome()
  made.push(path.dirname(folder))
  const server = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as net.AddressInfo
  const environment = {
    ASSAY_JSON_RPC_ADDRESS: `127.0.0.1:${port}`,
    ASSAY_DISPATCHER_PG_DB_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none',
  }
  const { code, output } = await runAssay(['doctor', '--home', folder], environment)
  server.close()
  expect(code).toBe(1)
  expect(output).toContain(`json-rpc.address is 127.0.0.1:${port}`)
  expect(output).toMatch(/^WRONG +PostgreSQL/m)
  expect(output).toContain('is not a home folder yet')
  expect(output).not.toContain('secret-word')

  const ill = await runAssay(['doctor', '--home', folder, '--json'], {
    ASSAY_RPC_LADDR: 'nonsense',
  })
  expect(ill.code).toBe(1)
  expect(JSON.parse(ill.output)).toContainEqual(
    expect.objectContaining({ what: 'Settings', verdict: 'wrong' }),
  )
})

test('completion is printed for a shell that it knows', async () => {
  const { code, output } = await runAssay(['completion', 'bash'])
  expect(code).toBe(0)
  expect(output).toContain('complete -o default -F _assay assay')
  expect((await runAssay(['completion', 'tcsh'])).code).toBe(1)
})
