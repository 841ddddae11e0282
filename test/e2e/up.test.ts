import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { createPublicClient, createWalletClient, defineChain, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, inject, test } from 'vitest'
import {
  eventually,
  freePorts,
  newHome,
  post,
  rpc,
  runAssay,
  startAssay,
} from '../support/assay.ts'
import { childrenOf, isAlive } from '../support/processes.ts'

const homes: string[] = []
function home(): string {
  const folder = newHome()
  homes.push(path.dirname(folder))
  return folder
}
afterAll(() => {
  for (const folder of homes) fs.rmSync(folder, { recursive: true, force: true })
})

test('the banner shows the wallet address, the accounts with a warning, and a curl that works', () => {
  const up = inject('up')
  expect(up.accounts.map((account) => account.address.toLowerCase())[0]).toBe(
    '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  )
  const file = path.join(inject('home'), 'up.json')
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  for (const secret of ['config/jwt.hex', 'config/priv_validator_key.json', 'config/node_key.json'])
    expect(fs.statSync(path.join(inject('home'), secret)).mode & 0o077).toBe(0)
})

test('a second process on the same home is refused with the owner named', async () => {
  const { code, output } = await runAssay(['up', '--home', inject('home'), ...freePorts])
  expect(code).toBe(1)
  expect(output).toMatch(/in use by process \d+/)
})

test('a taken port is a clear error that names it', async () => {
  const server = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as net.AddressInfo
  const { code, output } = await runAssay([
    'up',
    '--home',
    home(),
    ...freePorts,
    `--json-rpc.address=127.0.0.1:${port}`,
  ])
  expect(code).toBe(1)
  expect(output).toContain(String(port))
  server.close()
})

test('a configuration file with an unknown or ill-typed key stops the start with its name and what was expected', async () => {
  const folder = home()
  fs.mkdirSync(path.join(folder, 'config'), { recursive: true })
  fs.writeFileSync(
    path.join(folder, 'config', 'assay.toml'),
    '[json-rpc]\nadress = "x"\nbatch-limit = "many"\n',
  )
  const { code, output } = await runAssay(['up', '--home', folder, ...freePorts])
  expect(code).toBe(1)
  expect(output).toContain('unknown key "json-rpc.adress"')
  expect(output).toContain('json-rpc.batch-limit: expected an integer')
})

test('a restart in the middle finds blocks, receipts, logs, jobs and accounts again, under the same hashes', async () => {
  const folder = home()
  const first = await startAssay(folder)
  const chain = (url: string) =>
    defineChain({
      id: first.up.chainId,
      name: 'Assay',
      nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
      rpcUrls: { default: { http: [url] } },
    })
  const account = privateKeyToAccount(first.up.accounts[0]!.privateKey)
  const wallet = createWalletClient({ chain: chain(first.up.rpc), account, transport: http() })
  const before = createPublicClient({
    chain: chain(first.up.rpc),
    transport: http(),
    pollingInterval: 50,
  })
  const hash = await wallet.sendTransaction({ to: first.up.accounts[1]!.address, value: 5n })
  const receipt = await before.waitForTransactionReceipt({ hash })
  const job = await post(`${first.up.dispatcher}/api/job/submit`, {
    from: first.up.project,
    user: 'u',
    verify: first.up.token,
    job: { tag: 'opml', prompt: 'hello', model: 'absent.gguf' },
  })
  expect(await first.stop()).toBe(0)
  expect(fs.existsSync(path.join(folder, 'up.json'))).toBe(false)

  const second = await startAssay(folder)
  expect(second.up.project).toBe(first.up.project)
  expect(second.up.token).toBe(first.up.token)
  const after = createPublicClient({ chain: chain(second.up.rpc), transport: http() })
  expect(await after.getTransactionReceipt({ hash })).toEqual(receipt)
  const detail = await post(`${second.up.dispatcher}/api/job/detail`, { job_id: job.body.result })
  expect(detail.body.result).toMatchObject({ id: job.body.result, state: 'created' })
  expect(await second.stop()).toBe(0)
})

test('after kill -9 of everything the next start finds all that was shown, and nothing else runs on', async () => {
  const folder = home()
  const first = await startAssay(folder)
  const sent = await rpc(first.up.rpc, 'eth_sendTransaction', [
    { from: first.up.accounts[0]!.address, to: first.up.accounts[1]!.address, value: '0x1' },
  ])
  const receipt = await eventually(async () => {
    const answer = await rpc(first.up.rpc, 'eth_getTransactionReceipt', [sent.result])
    return (answer.result as { blockHash: string } | null) ?? undefined
  })
  const children = [...childrenOf(first.up.pid).keys()]
  expect(children.length).toBeGreaterThan(4)
  first.process.kill('SIGKILL')
  await eventually(() => (children.some(isAlive) ? undefined : true))
  const second = await startAssay(folder)
  const again = await rpc(second.up.rpc, 'eth_getTransactionReceipt', [sent.result])
  expect(again.result).toEqual(receipt)
  expect(await second.stop()).toBe(0)
})
