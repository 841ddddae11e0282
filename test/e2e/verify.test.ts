/** `assay verify` against a running node, and against servers that alter each answer in one place. */
import { createPublicClient, createWalletClient, defineChain, http, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, expect, inject, test } from 'vitest'
import { fromHex } from '../../src/base/hex.ts'
import { parseBounded } from '../../src/base/jsonBudget.ts'
import { proveAccount } from '../../src/cli/verify/account.ts'
import { proveHeader } from '../../src/cli/verify/header.ts'
import { jsonRpcCaller } from '../../src/jobs/onchain/jsonRpc.ts'
import { proveReceipt } from '../../src/cli/verify/receipt.ts'
import { openSession, type Servers, type Session } from '../../src/cli/verify/session.ts'
import { proveTransaction } from '../../src/cli/verify/transaction.ts'
import type { Facts } from '../../src/cli/verify/transcript.ts'
import { RpcAnswerError } from '../../src/proof/comet/json/answer.ts'
import { LightError } from '../../src/proof/comet/light/errors.ts'
import { DEFAULT_LIGHT_OPTIONS } from '../../src/proof/comet/light/types.ts'
import { ProofError } from '../../src/proof/mpt.ts'
import { runAssay } from '../support/assay.ts'

const up = inject('up')
const home = inject('home')
const account = privateKeyToAccount(up.accounts[3]!.privateKey)
const chain = defineChain({
  id: up.chainId,
  name: 'Assay',
  nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
  rpcUrls: { default: { http: [up.rpc] } },
})
const reader = createPublicClient({ chain, transport: http(), pollingInterval: 50 })
const wallet = createWalletClient({ chain, account, transport: http() })

// Stores 42 in slot 0 and 7 in slot 1 while it is created, logs one topic, and stays without code.
const CREATION: Hex = '0x602a5f556007600155602a60205fa15f5ff3'

let created: Hex
let contract: Hex
let block: number
let consensusHash: Uint8Array
let trusted: { height: number; hash: Uint8Array }

beforeAll(async () => {
  created = await wallet.sendTransaction({ data: CREATION, gas: 200_000n })
  const receipt = await reader.waitForTransactionReceipt({ hash: created })
  expect(receipt.status).toBe('success')
  contract = receipt.contractAddress!
  block = Number(receipt.blockNumber)
  const begin = await reader.getBlock({ blockNumber: 1n })
  trusted = { height: 1, hash: fromHex(begin.hash) }
  const { facts } = await record((session) => proveTransaction(session, fromHex(created)))
  consensusHash = fromHex(String(facts['consensusHash']))
})

const servers = ['--rpc', up.comet, '--json-rpc', up.rpc]

async function verify(what: string, ...args: readonly string[]) {
  const { code, output } = await runAssay(['verify', what, ...servers, '--home', home, ...args])
  return { code, output }
}

test('account, transaction, receipt and header are proven from the genesis of the home', async () => {
  const proofs: readonly [string, ...string[]][] = [
    ['account', contract, '--slot', '0', '1', '0x2'],
    ['tx', created],
    ['receipt', created],
    ['header', String(block)],
  ]
  for (const args of proofs) {
    const { code, output } = await verify(...args)
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(output).toContain('Proven.')
    expect(output).toContain('is by the validators of')
  }
})

test('what is proven is what the chain holds', async () => {
  const { output } = await verify('account', contract, '--slot', '0', '1', '2', '--json')
  const slot = (number: number) => `0x${String(number).padStart(64, '0')}`
  expect(JSON.parse(output)).toMatchObject({
    proven: true,
    facts: {
      nonce: '1',
      balance: '0',
      slots: [`${slot(0)} = 0x2a`, `${slot(1)} = 0x7`, `${slot(2)} = 0x0`],
    },
  })
  const receipt = await verify('receipt', created, '--json', '--witness', up.comet)
  expect(JSON.parse(receipt.output)).toMatchObject({
    facts: { block: String(block), status: 'success', contractAddress: contract },
  })
})

test('a wrong trusted hash, an unknown transaction and a closed port end with 1 and a reason', async () => {
  const zero = '00'.repeat(32)
  const wrong = await verify('header', '--trusted-height', '1', '--trusted-hash', zero)
  expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('NOT PROVEN') as string })
  const unknown = await verify('receipt', `0x${'ab'.repeat(32)}`, '--json')
  expect(unknown.code).toBe(1)
  expect(JSON.parse(unknown.output)).toMatchObject({ proven: false, code: 'proof' })
  const closed = await verify('header', '--rpc', 'http://127.0.0.1:9')
  expect(closed).toMatchObject({
    code: 1,
    output: expect.stringContaining('127.0.0.1:9') as string,
  })
  const usage = await verify('header', '--trusted-height', '1')
  expect(usage).toMatchObject({
    code: 1,
    output: expect.stringContaining('must be given together') as string,
  })
})

test('an expired trusted header says what to do', async () => {
  const { code, output } = await verify('header', String(block), '--trusting-period', '1s')
  expect(code).toBe(1)
  expect(output).toContain('pass a longer --trusting-period')
})

type Asked = { readonly method: string; readonly answer: unknown }
type Command = (session: Session) => Promise<Facts>

/** Runs a command in this process, on servers that `pass` lets answer. */
async function prove(
  command: Command,
  pass: (method: string, ask: () => Promise<unknown>) => Promise<unknown>,
): Promise<Facts> {
  const deadline = AbortSignal.timeout(30_000)
  const comet = jsonRpcCaller(new URL(up.comet), 'comet', { deadline })
  const ethereum = jsonRpcCaller(new URL(up.rpc), 'ethereum', { deadline })
  const asked: Servers = {
    askConsensus: (method, params) => pass(method, () => comet(method, params)),
    askEthereum: (method, params) => pass(method, () => ethereum(method, params)),
    witnesses: [],
  }
  const silent = { check: () => undefined, proven: () => undefined, refused: () => undefined }
  const options = { ...DEFAULT_LIGHT_OPTIONS, trusted, home, mode: 'skipping' } as const
  return command(await openSession(asked, options, silent, deadline))
}

/** Each answer of an honest run, in order. */
async function record(command: Command): Promise<{ facts: Facts; answers: readonly Asked[] }> {
  const answers: Asked[] = []
  const facts = await prove(command, async (method, ask) => {
    const answer = await ask().catch((error: unknown) => error)
    answers.push({ method, answer })
    if (answer instanceof Error) throw answer
    return answer
  })
  return { facts, answers }
}

type Path = readonly string[]

function leavesOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, key]))
}

/** Another value of the same kind: of a text the last digit or letter is another one. */
function altered(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (typeof value !== 'string') return '01'
  const at = value.replace(/=+$/, '').length - 1
  const char = value[at] ?? ''
  const other = /\d/.test(char) ? (Number(char) + 1) % 10 : ['a', 'A'].includes(char) ? 'b' : 'a'
  return at < 0 ? 'AA' : value.slice(0, at) + other + value.slice(at + 1)
}

function alteredAt(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined) return altered(value)
  const copy = structuredClone(value) as Record<string, unknown>
  copy[key] = alteredAt(copy[key], rest)
  return copy
}

/** Places that no proof covers and that no fact is taken from. */
const UNREAD =
  /^commit\.canonical$|^validators\.(?:count|validators\.\d+\.proposer_priority)$|^block\.block(?:_id|\.(?:header|evidence|last_commit))\.|^eth_getTransactionByHash\.(?!blockNumber)|^block_results\.(?:finalize_block_events|validator_updates|consensus_param_updates|app_hash|height)|^block_results\.txs_results\.\d+\.(?:log|info|events|codespace)|^eth_getTransactionReceipt\.(?:effectiveGasPrice|logs\.\d+\.(?:blockTimestamp|logIndex|removed))|^tx\.(?:hash|index|tx_result|proof\.(?:data|root_hash))|^eth_getProof\.storageProof\.\d+\.key$/

function isRefusal(error: unknown): boolean {
  return (
    error instanceof LightError || error instanceof ProofError || error instanceof RpcAnswerError
  )
}

async function replay(command: Command, answers: readonly Asked[]): Promise<Facts | 'refused'> {
  let next = 0
  try {
    return await prove(command, async () => {
      const answer = answers[Math.min(next++, answers.length - 1)]?.answer
      if (answer instanceof Error) throw answer
      return structuredClone(answer)
    })
  } catch (error) {
    if (isRefusal(error)) return 'refused'
    throw error
  }
}

const COMMANDS: readonly [string, () => Command][] = [
  ['header', () => (session) => proveHeader(session, block + 1)],
  [
    'account',
    () => (session) =>
      proveAccount(session, {
        address: fromHex(contract),
        slots: [new Uint8Array(32)],
        height: block,
      }),
  ],
  ['transaction', () => (session) => proveTransaction(session, fromHex(created))],
  ['consensus hash', () => (session) => proveTransaction(session, consensusHash)],
  ['receipt', () => (session) => proveReceipt(session, fromHex(created))],
]

test.each(COMMANDS)(
  'no value of any answer about the %s can be altered without refusal',
  async (_name, make) => {
    const command = make()
    const { facts, answers } = await record(command)
    let tried = 0
    const unnoticed: string[] = []
    for (const [index, { method, answer }] of answers.entries()) {
      if (answer instanceof Error) continue
      for (const path of leavesOf(answer)) {
        const place = [method, ...path].join('.')
        const changed = answers.with(index, { method, answer: alteredAt(answer, path) })
        const result = await replay(command, changed)
        tried++
        if (result === 'refused') continue
        // A place that is not read may say anything, as long as nothing else is proven by it.
        expect({ place, facts: result }).toEqual({ place, facts })
        if (!UNREAD.test(place)) unnoticed.push(place)
      }
    }
    expect(unnoticed).toEqual([])
    expect(tried).toBeGreaterThan(40)
  },
)

test('answers of other shapes are refused and never a fault of the program', async () => {
  const shapes = ['null', '[]', '{}', '7', '"text"', '{"signed_header":{}}', '{"block":null}']
  for (const [, make] of COMMANDS) {
    const command = make()
    const { answers } = await record(command)
    for (const index of answers.keys())
      for (const shape of shapes) {
        const answer = parseBounded(shape)
        const changed = answers.with(index, { method: '', answer })
        expect(await replay(command, changed)).toBe('refused')
      }
  }
})
