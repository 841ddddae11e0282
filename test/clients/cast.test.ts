/** Foundry's cast, as a developer types it. */
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newHome, startAssay, type Running } from '../support/assay.ts'
import { compile } from '../support/compile.ts'
import { install, run } from '../support/installed.ts'

const VERSION = '1.7.1'
const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': 'cast-linux-amd64',
  'linux-arm64': 'cast-linux-arm64',
  'darwin-x64': 'cast-darwin-amd64',
  'darwin-arm64': 'cast-darwin-arm64',
}

let running: Running
let binary: string
beforeAll(async () => {
  running = await startAssay(newHome())
  const platform = `@foundry-rs/${PLATFORMS[`${process.platform}-${process.arch}`]}`
  const folder = await install('cast', { '@foundry-rs/cast': VERSION, [platform]: VERSION })
  binary = path.join(folder, 'node_modules', platform, 'bin', 'cast')
})
afterAll(() => running.stop())

const cast = (...args: readonly string[]): Promise<string> =>
  run(binary, args, { env: { ETH_RPC_URL: running.up.ethereum, NO_COLOR: '1' } })

async function castJson(...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await cast(...args, '--json')) as Readonly<Record<string, unknown>>
}

test('cast reads the chain', async () => {
  const { address } = running.up.accounts[0] ?? { address: '' }
  expect(await cast('chain-id')).toBe(String(running.up.chainId))
  expect(Number(await cast('block-number'))).toBeGreaterThan(0)
  expect(await cast('client')).toMatch(/^Assay\/v/)
  expect(BigInt(await cast('gas-price'))).toBeGreaterThan(0n)
  expect(BigInt(await cast('base-fee'))).toBeGreaterThan(0n)
  expect(BigInt(await cast('balance', address))).toBeGreaterThan(0n)
  expect(await cast('balance', '--ether', address)).toMatch(/^\d+\./)
  expect(await cast('nonce', address)).toBe('0')
  expect(await castJson('block', 'latest')).toHaveProperty('hash')
  expect(await cast('block', '1', '--field', 'number')).toBe('1')
  expect(await cast('age', 'latest')).toMatch(/\d{4}/)
  expect(await cast('rpc', 'eth_chainId')).toBe(`"0x${running.up.chainId.toString(16)}"`)
  expect(Number(await cast('find-block', String(Math.floor(Date.now() / 1000))))).toBeGreaterThan(0)
  expect(await castJson('proof', address)).toHaveProperty('accountProof')
})

test('cast deploys, calls, sends, and reads what came of it', async () => {
  const { bytecode } = compile('Token')
  const [, sender, to] = running.up.accounts
  const key = ['--private-key', sender?.privateKey ?? '']
  const supply = '1f4'.padStart(64, '0')
  const deployed = await castJson('send', ...key, '--create', `${bytecode}${supply}`)
  const token = String(deployed['contractAddress'])
  expect(await cast('code', token)).toMatch(/^0x60/)
  expect(await cast('codesize', token)).toMatch(/^\d+$/)
  expect(await cast('codehash', token)).toMatch(/^0x[0-9a-f]{64}$/)
  const balanceOf = ['balanceOf(address)(uint256)', sender?.address ?? '']
  expect(await cast('call', token, ...balanceOf)).toMatch(/^500/)
  const transfer = ['transfer(address,uint256)', to?.address ?? '', '7']
  const from = ['--from', sender?.address ?? '']
  expect(BigInt(await cast('estimate', token, ...transfer, ...from))).toBeGreaterThan(21_000n)
  expect(await cast('access-list', token, ...transfer, ...from)).toContain('gas used')
  const sent = await castJson('send', ...key, token, ...transfer)
  expect(sent['status']).toBe('0x1')
  const hash = String(sent['transactionHash'])
  expect((await castJson('receipt', hash))['blockHash']).toBe(sent['blockHash'])
  expect((await castJson('tx', hash))['hash']).toBe(hash)
  const event = 'Transfer(address,address,uint256)'
  const logs = await cast('logs', '--address', token, '--from-block', '0', event, '--json')
  expect(JSON.parse(logs)).toHaveLength(2)
  expect(await cast('storage', token, '2')).toBe(`0x${supply}`)
  expect(await cast('call', token, 'balanceOf(address)(uint256)', to?.address ?? '')).toBe('7')
  await expect(cast('call', token, 'fail(string)', 'no luck')).rejects.toThrow('no luck')
  const raw = await cast('mktx', ...key, to?.address ?? '', '--value', '1')
  expect(await cast('publish', raw)).toContain('transactionHash')
  expect(await cast('run', hash, '--quick')).toContain('Transaction successfully executed')
})
