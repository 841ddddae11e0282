/** Validates answers of a real chain against the schemas of ethereum/execution-apis, in the `ethereum` profile (D4). */
import fs from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { fromHex, toHex, toHexDigits } from '../../src/base/hex.ts'
import { contractAddress } from '../../src/evm/contractAddress.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { createMemoryPool, type MemoryPool } from '../support/memoryPool.ts'
import {
  ALICE,
  BOB,
  nodeOver,
  TOPIC,
  transactionByAlice,
  type Requests,
} from '../support/rpcNode.ts'
import { createStoredChain, type StoredChain } from '../support/storedChain.ts'

const FOLDER = path.resolve(
  process.env.ASSAY_VECTORS ?? '../shared/vectors',
  'execution-apis/openrpc',
)
const isPresent = fs.existsSync(FOLDER)
if (!isPresent && process.env.ASSAY_VECTORS_REQUIRED === '1') throw new Error(`no ${FOLDER}`)
if (!isPresent) console.warn(`skipped: ${FOLDER} is absent (set ASSAY_VECTORS)`)

type MethodSchema = { readonly name: string; readonly result: { readonly schema: object } }

function yamlFiles(folder: string): readonly unknown[] {
  if (!isPresent) return []
  return fs
    .readdirSync(path.join(FOLDER, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => parse(fs.readFileSync(path.join(FOLDER, folder, name), 'utf8')) as unknown)
}

const schemas: object = Object.assign({}, ...yamlFiles('schemas'))
const methods = new Map(
  ['eth', 'debug', 'txpool']
    .flatMap(yamlFiles)
    .flatMap((file) => file as MethodSchema[])
    .map((method) => [method.name, method]),
)
const ajv = new Ajv({ strict: false, allErrors: true })
ajv.addSchema({ $id: 'execution-apis', components: { schemas } })

/** References of a method's schema point into the document of all schemas. */
function resolved(schema: object): object {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"execution-apis#/components/')
  return JSON.parse(text) as object
}

let stored: StoredChain
let pool: MemoryPool
let node: Requests

/** A log with TOPIC, then one storage write; deploys nothing. */
const NOISY = fromHex(`0x7f${toHexDigits(TOPIC)}5f5fa13360015500`)
const noisyContract = contractAddress(ALICE, 1n)

beforeAll(async () => {
  stored = createStoredChain([{ address: ALICE, balance: 10n ** 20n }])
  pool = createMemoryPool()
  node = nodeOver(stored.reader, pool, { profile: 'ethereum' })
  await stored.mine(
    transactionByAlice({ type: 0, maxPriorityFeePerGas: 3_000_000_000n }),
    transactionByAlice({ nonce: 1n, to: undefined, value: 0n, data: NOISY }),
    transactionByAlice({
      nonce: 2n,
      type: 1,
      maxPriorityFeePerGas: 3_000_000_000n,
      accessList: [{ address: BOB, storageKeys: [TOPIC] }],
    }),
    transactionByAlice({
      nonce: 3n,
      type: 4,
      authorizationList: [{ chainId: 0n, address: BOB, nonce: 0n, yParity: 0n, r: 1n, s: 1n }],
    }),
    // INVALID: fails, and is included.
    transactionByAlice({ nonce: 4n, to: undefined, value: 0n, data: Uint8Array.of(0xfe) }),
  )
  await stored.mine()
  await pool.add(transactionByAlice({ nonce: 5n }).raw)
})
afterAll(() => stored.close())

function requests(): readonly (readonly [string, ...unknown[]])[] {
  const header = stored.reader.header(1)
  const blockHash = toHex(header?.hash ?? new Uint8Array())
  const hashes = (stored.reader.transactions(1) ?? []).map(({ hash }) => toHex(hash))
  const alice = toHex(ALICE)
  const range = { fromBlock: '0x0', toBlock: 'latest' }
  return [
    ['net_version'],
    ['eth_chainId'],
    ['eth_config'],
    ['eth_blockNumber'],
    ['eth_syncing'],
    ['eth_gasPrice'],
    ['eth_maxPriorityFeePerGas'],
    ['eth_accounts'],
    ['eth_coinbase'],
    ['eth_feeHistory', '0x3', 'latest', [10, 90]],
    ['eth_feeHistory', '0x1', '0x1', []],
    ['eth_getBalance', alice, 'latest'],
    ['eth_getCode', '0xca11bde05977b3631167028862be2a173976ca11', 'latest'],
    ['eth_getStorageAt', toHex(noisyContract), '0x1', 'latest'],
    ['eth_getTransactionCount', alice, 'latest'],
    ['eth_getProof', toHex(noisyContract), ['0x1', '0x2'], 'latest'],
    ['eth_getProof', toHex(BOB), [], '0x0'],
    ['eth_call', { to: toHex(noisyContract), input: '0x' }, 'latest'],
    ['eth_estimateGas', { from: alice, to: toHex(BOB), value: '0x1' }],
    ...['0x0', '0x1', '0x2', '0x99'].flatMap((block) => [
      ['eth_getBlockByNumber', block, true] as const,
      ['eth_getBlockByNumber', block, false] as const,
      ['eth_getBlockReceipts', block] as const,
      ['eth_getBlockTransactionCountByNumber', block] as const,
    ]),
    ['eth_getBlockByHash', blockHash, true],
    ['eth_getBlockTransactionCountByHash', blockHash],
    ...hashes.flatMap((hash, index) => [
      ['eth_getTransactionByHash', hash] as const,
      ['eth_getTransactionReceipt', hash] as const,
      ['eth_getTransactionByBlockHashAndIndex', blockHash, `0x${index}`] as const,
      ['eth_getTransactionByBlockNumberAndIndex', '0x1', `0x${index}`] as const,
    ]),
    ['eth_getTransactionReceipt', `0x${'11'.repeat(32)}`],
    ['eth_getLogs', range],
    ['eth_getLogs', { ...range, topics: [[toHex(TOPIC)]], address: toHex(noisyContract) }],
    ['eth_newFilter', range],
    ['eth_newBlockFilter'],
    ['eth_newPendingTransactionFilter'],
    ['eth_sign', alice, '0x00'],
    ['eth_sendTransaction', { from: alice, to: toHex(BOB), gas: '0x5208' }],
    ['eth_sendRawTransaction', toHex(transactionByAlice({ nonce: 9n }).raw)],
    ['eth_baseFee'],
    ['eth_blobBaseFee'],
    ['eth_getStorageValues', { [toHex(noisyContract)]: [`0x${'0'.repeat(64)}`] }, 'latest'],
    ['eth_createAccessList', { from: alice, to: toHex(noisyContract) }, 'latest'],
    ['eth_fillTransaction', { from: alice, to: toHex(BOB), gas: '0x5208' }],
    [
      'eth_signTransaction',
      { from: alice, to: toHex(BOB), gas: '0x5208', gasPrice: '0x77359400', nonce: '0x9' },
    ],
    [
      'eth_simulateV1',
      {
        blockStateCalls: [
          { calls: [{ from: alice, to: toHex(BOB), value: '0x1' }, { data: '0x5f5ffd' }] },
        ],
        traceTransfers: true,
      },
      'latest',
    ],
    ...['debug_getRawHeader', 'debug_getRawBlock', 'debug_getRawReceipts'].map(
      (name) => [name, '0x1'] as const,
    ),
    ...hashes.flatMap((hash) => [
      ['debug_getRawTransaction', hash] as const,
      ['debug_traceTransaction', hash] as const,
    ]),
    ['debug_getBadBlocks'],
    ['eth_capabilities'],
    ['debug_traceBlockByNumber', '0x1'],
    ['debug_traceBlockByHash', blockHash],
    ['txpool_status'],
    ['txpool_content'],
    ['txpool_contentFrom', alice],
  ]
}

/** Requests that need the id of an installed filter. */
async function filterRequests(): Promise<readonly (readonly [string, ...unknown[]])[]> {
  const range = { fromBlock: '0x0', toBlock: 'latest' }
  const ids = await Promise.all([
    node.request('eth_newFilter', range),
    node.request('eth_newBlockFilter'),
    node.request('eth_newPendingTransactionFilter'),
  ])
  await stored.mine(transactionByAlice({ nonce: 5n, to: undefined, value: 0n, data: NOISY }))
  await pool.add(transactionByAlice({ nonce: 6n }).raw)
  return [
    ...ids.map((id) => ['eth_getFilterChanges', id] as const),
    ['eth_getFilterLogs', ids[0]],
    ['eth_uninstallFilter', ids[0]],
  ]
}

/** Answers the request and says how its answer differs from the document; undefined when it does not. */
async function deviation(name: string, params: readonly unknown[]): Promise<string | undefined> {
  const schema = methods.get(name)?.result.schema
  if (!schema) return `${name}: not in the document`
  const validate = ajv.compile(resolved(schema))
  if (validate(await node.request(name, ...params))) return undefined
  return `${name} ${JSON.stringify(params)}: ${ajv.errorsText(validate.errors)}`
}

// Holds D5.
describe.skipIf(!isPresent)('execution-apis', () => {
  test('answers have the shapes of the OpenRPC document', async () => {
    const cases = [...requests(), ...(await filterRequests())]
    const asked = new Set(cases.map(([name]) => name))
    const missing = [...methods.keys()].filter((name) => METHODS[name] && !asked.has(name))
    expect(missing).toEqual([])
    const deviations: string[] = []
    for (const [name, ...params] of cases) {
      const found = await deviation(name, params)
      if (found) deviations.push(found)
    }
    console.log(`openrpc: ${cases.length} answers of ${asked.size} methods`)
    expect(deviations).toEqual([])
  })

  test('a simulated call that halts deviates: its message has no prefix, as in go-ethereum', async () => {
    const payload = { blockStateCalls: [{ calls: [{ data: '0xfe' }] }] }
    const found = await deviation('eth_simulateV1', [payload, 'latest'])
    expect(found).toContain('^vm execution error')
  })

  test('a pending transaction deviates: its block is null, as in go-ethereum', async () => {
    const { hash } = await pool.add(transactionByAlice({ nonce: 7n }).raw)
    const found = await deviation('eth_getTransactionByHash', [toHex(hash)])
    expect(found).toContain('blockHash must be string')
  })

  test('the spec profile deviates in the null proof-of-work fields', async () => {
    const spec = nodeOver(stored.reader, pool)
    const schema = methods.get('eth_getBlockByNumber')?.result.schema ?? {}
    const validate = ajv.compile(resolved(schema))
    expect(validate(await spec.request('eth_getBlockByNumber', '0x1', true))).toBe(false)
    const fields = new Set(validate.errors?.map(({ instancePath }) => instancePath))
    expect(fields).toEqual(new Set(['', '/difficulty', '/nonce', '/sha3Uncles']))
  })
})
