/** The same hundred transactions on Assay and on anvil: receipts, logs, traces and storage must be equal. */
import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { encodeFunctionData, keccak256, pad, toHex, type Hex } from 'viem'
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../src/base/freePorts.ts'
import { eventually, newHome, rpc, startAssay, type Running } from '../support/assay.ts'
import { compile } from '../support/compile.ts'
import { install } from '../support/installed.ts'

const VERSION = '1.7.1'
const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': 'anvil-linux-amd64',
  'linux-arm64': 'anvil-linux-arm64',
  'darwin-x64': 'anvil-darwin-amd64',
  'darwin-arm64': 'anvil-darwin-arm64',
}
const TRANSACTIONS = 100

let assay: Running
let anvil: ChildProcess
let anvilUrl: string

beforeAll(async () => {
  assay = await startAssay(newHome(), ['--dev'])
  const platform = `@foundry-rs/${PLATFORMS[`${process.platform}-${process.arch}`]}`
  const folder = await install('anvil-alone', { [platform]: VERSION })
  const port = await freePort()
  anvilUrl = `http://127.0.0.1:${port}`
  anvil = spawn(
    path.join(folder, 'node_modules', platform, 'bin', 'anvil'),
    [
      '--port',
      String(port),
      '--chain-id',
      String(assay.up.chainId),
      '--hardfork',
      'osaka',
      '--steps-tracing',
      '--quiet',
    ],
    { stdio: 'ignore' },
  )
  await eventually(async () => {
    const answer = await rpc(anvilUrl, 'eth_chainId').catch(() => undefined)
    return answer?.result
  })
})
afterAll(async () => {
  anvil.kill()
  await assay.stop()
})

const workload = compile('Workload')

function call(functionName: string, ...args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: workload.abi, functionName, args: [...args] })
}

/** What the transaction with a nonce does, and the value that it sends. */
function step(nonce: number): readonly [data: Hex, value?: bigint] {
  const round = Math.floor(nonce / 11)
  switch (nonce % 11) {
    case 0:
      return [call('make', BigInt(round)), BigInt(round)]
    case 1:
      return [call('store', BigInt(round), BigInt(nonce))]
    case 2:
      return [call('store', 1n, 2000n)]
    case 3:
      return [call('visit', BigInt(round), BigInt(nonce)), 5n]
    case 4:
      return [call('visit', 999n, 1n)]
    case 5:
      return [call('tryVisit', BigInt(round))]
    case 6:
      return [call('rename', 'x'.repeat(nonce))]
    case 7:
      return [call('hash', BigInt(nonce))]
    case 8:
      return [call('panic', 0n)]
    case 9:
      return [call('clear', BigInt(round))]
    default:
      return [call('rename', 'short')]
  }
}

async function ask(url: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const { result, error } = await rpc(url, method, params)
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string }
type Receipt = Readonly<Record<string, unknown>> & { readonly logs: readonly Log[] }

async function receiptOf(url: string, hash: string): Promise<Receipt> {
  return await eventually(async () => {
    const receipt = await ask(url, 'eth_getTransactionReceipt', hash)
    return (receipt ?? undefined) as Receipt | undefined
  })
}

function shownOf({ status, gasUsed, contractAddress, from, to, type, logs }: Receipt): object {
  const seen = logs.map(({ address, topics, data }) => ({ address, topics, data }))
  return {
    status,
    gasUsed,
    contractAddress: contractAddress ?? null,
    from,
    to: to ?? null,
    type,
    logs: seen,
  }
}

type Call = Readonly<Record<string, unknown>> & { readonly calls?: readonly Call[] }

/** What a call did; how an error is called differs. */
function traceOf({
  type,
  from,
  to,
  value,
  input,
  output,
  gasUsed,
  error,
  calls = [],
}: Call): object {
  return {
    type,
    from,
    to,
    input,
    gasUsed,
    value: value ?? '0x0',
    output: output ?? '0x',
    isFailed: error !== undefined,
    calls: calls.map(traceOf),
  }
}

async function everythingOf(url: string, hash: string): Promise<object> {
  const receipt = shownOf(await receiptOf(url, hash))
  const trace = await ask(url, 'debug_traceTransaction', hash, { tracer: 'callTracer' })
  return { ...receipt, trace: traceOf(trace as Call) }
}

test('a hundred transactions come to the same on Assay and on anvil', async () => {
  const account: PrivateKeyAccount = privateKeyToAccount(assay.up.accounts[0]?.privateKey ?? '0x')
  const first = Number(
    await ask(assay.up.ethereum, 'eth_getTransactionCount', account.address, 'latest'),
  )
  expect(Number(await ask(anvilUrl, 'eth_getTransactionCount', account.address, 'latest'))).toBe(
    first,
  )
  const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n, gas: 5_000_000n }
  let contract: Hex | undefined
  let failed = 0
  for (let index = 0; index < TRANSACTIONS; index++) {
    const [data, value = 0n] = contract === undefined ? [workload.bytecode] : step(index - 1)
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: assay.up.chainId,
      nonce: first + index,
      ...fees,
      data,
      value,
      ...(contract !== undefined && { to: contract }),
    })
    const [ours, theirs] = await Promise.all(
      [assay.up.ethereum, anvilUrl].map(async (url) =>
        everythingOf(url, String(await ask(url, 'eth_sendRawTransaction', raw))),
      ),
    )
    expect(ours).toEqual(theirs)
    const { contractAddress, status } = ours as Record<string, string>
    if (status === '0x0') failed++
    contract ??= contractAddress as Hex
  }
  expect(failed).toBeGreaterThan(20)
  const slots = Array.from({ length: 12 }, (_, slot) => toHex(slot))
  const mapped = Array.from({ length: 12 }, (_, key) =>
    [1, 2].map((at) => keccak256(`${pad(toHex(key))}${pad(toHex(at)).slice(2)}` as Hex)),
  ).flat()
  for (const slot of [...slots, ...mapped]) {
    const [ours, theirs] = await Promise.all(
      [assay.up.ethereum, anvilUrl].map((url) =>
        ask(url, 'eth_getStorageAt', contract, slot, 'latest'),
      ),
    )
    expect(ours).toBe(theirs)
  }
})
