/**
 * Sends the requests of ethereum/execution-apis' tests to a chain that starts from their genesis and runs their
 * transactions. Answers are equal, or of the same shape where they tell of headers, hashes and fees, which are other ones
 * on this chain; what is neither stands in a list, with its reason.
 */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toHex } from '../../src/base/hex.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { RpcError } from '../../src/wire/errors.ts'
import {
  blockHashesOf,
  createSuiteChain,
  pooledTransactions,
  readExchanges,
  type Answer,
  type Exchange,
} from '../support/executionApis.ts'
import { createMemoryPool, type MemoryPool } from '../support/memoryPool.ts'
import { nodeOver, type Requests } from '../support/rpcNode.ts'
import type { StoredChain } from '../support/storedChain.ts'

const FOLDER = path.resolve(
  process.env.ASSAY_VECTORS ?? '../shared/vectors',
  'execution-apis/tests',
)
const isPresent = fs.existsSync(FOLDER)
if (!isPresent && process.env.ASSAY_VECTORS_REQUIRED === '1') throw new Error(`no ${FOLDER}`)
if (!isPresent) console.warn(`skipped: ${FOLDER} is absent (set ASSAY_VECTORS)`)

const exchanges = isPresent ? readExchanges(FOLDER) : []

/** Members that blocks, receipts and the configuration have here or there only. */
const OTHER_MEMBERS: Readonly<Record<string, string>> = {
  totalDifficulty: 'kept for clients that want it',
  blobGasUsed: 'no blobs (D19)',
  excessBlobGas: 'no blobs (D19)',
  parentBeaconBlockRoot: 'no beacon chain',
  withdrawals: 'no beacon chain',
  withdrawalsRoot: 'no beacon chain',
  requestsHash: 'no beacon chain',
  BEACON_ROOTS_ADDRESS: 'no beacon chain',
  CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: 'no beacon chain',
  DEPOSIT_CONTRACT_ADDRESS: 'no beacon chain',
  WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: 'no beacon chain',
  baseFeePerGas: 'all forks are active from genesis on (D19)',
  status: 'all forks are active from genesis on (D19)',
  root: 'all forks are active from genesis on (D19)',
}

const UNSEEN_LOGS = 'the answers do not show the transaction that made the logs'
const UNSEEN_TRANSACTIONS = 'the answers do not show the other transactions of the block'
const NO_BLOBS = 'blobs are refused (D19)'
const NO_BUILDING = 'blocks are decided by consensus, and none is built without being decided (D20)'

/** Exchanges that differ in shape beyond these members, or are not served: each by its file, with its reason. */
const DEVIATIONS: Readonly<Record<string, string>> = {
  'debug_traceBlockByNumber/trace-block-storage-encoding.io': UNSEEN_TRANSACTIONS,
  'debug_traceBlockByNumber/trace-block-storage-snapshot-timing.io': UNSEEN_TRANSACTIONS,
  'eth_estimateGas/estimate-with-eip4844.io': NO_BLOBS,
  'eth_getBlockByNumber/get-block-london-fork.io': UNSEEN_TRANSACTIONS,
  'eth_getBlockByNumber/get-block-merge-fork.io': UNSEEN_TRANSACTIONS,
  'eth_getBlockByNumber/get-block-prague-fork.io': UNSEEN_TRANSACTIONS,
  'eth_getBlockByNumber/get-block-shanghai-fork.io': UNSEEN_TRANSACTIONS,
  'eth_getLogs/contract-addr.io': UNSEEN_LOGS,
  'eth_getLogs/filter-with-blockHash-and-topics.io': UNSEEN_LOGS,
  'eth_getLogs/topic-exact-match.io': UNSEEN_LOGS,
  'eth_getLogs/topic-null-wildcard.io': UNSEEN_LOGS,
  'eth_getLogs/topic-wildcard.io': UNSEEN_LOGS,
  'eth_getProof/get-account-proof-with-storage.io':
    'the answers do not show the transactions that wrote the other slots of its tree',
  'eth_getTransactionReceipt/get-blob-tx.io': NO_BLOBS,
  'eth_sendRawTransaction/send-blob-tx.io': NO_BLOBS,
  'eth_simulateV1/ethSimulate-blobs.io': NO_BLOBS,
  'testing_buildBlockV1/build-block-from-mempool.io': NO_BUILDING,
  'testing_buildBlockV1/build-block-with-transactions.io': NO_BUILDING,
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'list'
  if (typeof value !== 'string') return typeof value
  return value.startsWith('0x') ? 'hex' : 'text'
}

/** Where two values differ: paths without indexes, with what stands there and what should. */
function differences(
  given: unknown,
  expected: unknown,
  differ: (given: unknown, expected: unknown) => boolean,
  at = '',
): readonly string[] {
  const kinds = [kindOf(given), kindOf(expected)] as const
  if (kinds[0] !== kinds[1]) return [`${at}: ${kinds.join(' for ')}`]
  if (Array.isArray(given) && Array.isArray(expected)) {
    const pairs = Math.min(given.length, expected.length)
    const inner = Array.from({ length: pairs }, (_, index) =>
      differences(given[index], expected[index], differ, `${at}[]`),
    ).flat()
    return given.length === expected.length
      ? inner
      : [...inner, `${at}: ${given.length} for ${expected.length} elements`]
  }
  if (typeof given !== 'object' || given === null)
    return differ(given, expected) ? [`${at}: another value`] : []
  const [left, right] = [given, expected] as readonly Readonly<Record<string, unknown>>[]
  const keys = new Set([...Object.keys(given), ...Object.keys(expected as object)])
  return [...keys].flatMap((key) => differences(left?.[key], right?.[key], differ, `${at}.${key}`))
}

type Verdict = 'equal' | 'same shape' | 'otherwise'

/** Whether a difference is in a member that only one of the chains has. */
function isOtherMember(difference: string): boolean {
  const [place = '', what = ''] = difference.split(': ')
  return what.includes('undefined') && Object.hasOwn(OTHER_MEMBERS, place.split('.').at(-1) ?? '')
}

describe.skipIf(!isPresent)('execution-apis', () => {
  let chain: StoredChain
  let node: Requests
  let pool: MemoryPool
  const hashes = blockHashesOf(exchanges)
  beforeAll(async () => {
    chain = await createSuiteChain(FOLDER, exchanges)
    const { chainId } = chain.rules
    const options = { profile: 'ethereum' as const, rules: chain.rules }
    pool = createMemoryPool(chainId)
    node = nodeOver(chain.reader, pool, options)
  })
  afterAll(() => chain.close())

  async function fillPool(): Promise<void> {
    for (const { hash, raw } of pooledTransactions(exchanges, chain.rules.chainId))
      if (pool.get(hash) === undefined) await pool.add(raw)
  }

  /** Their blocks and ours have other hashes, which stand for each other. */
  function translated<T>(value: T, direction: 'ours' | 'theirs'): T {
    let text = JSON.stringify(value)
    for (const [height, theirs] of hashes) {
      const ours = toHex(chain.reader.header(height)?.hash ?? new Uint8Array(32))
      text = direction === 'ours' ? text.replaceAll(theirs, ours) : text.replaceAll(ours, theirs)
    }
    return JSON.parse(text) as T
  }

  async function answerTo({ request }: Exchange): Promise<Answer> {
    const { method, params = [] } = translated(request, 'ours')
    try {
      return translated({ result: await node.request(method, ...params) }, 'theirs')
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      const { code, message, data } = error
      const answer = { error: { code, message, ...(data !== undefined && { data }) } }
      return translated(answer, 'theirs')
    }
  }

  test('every request is answered as there, but for what this chain does otherwise', async () => {
    const counts: Record<Verdict | 'not served', number> = {
      equal: 0,
      'same shape': 0,
      otherwise: 0,
      'not served': 0,
    }
    const unexpected: string[] = []
    const different = new Set<string>()
    for (const exchange of exchanges) {
      const { file, request, answer } = exchange
      if (METHODS[request.method] === undefined) {
        counts['not served']++
        different.add(file)
        continue
      }
      // Their pool holds what no exchange sends.
      if (request.method.startsWith('txpool_')) await fillPool()
      const { result, error } = answer
      const expected = error === undefined ? { result } : { error }
      const given = await answerTo(exchange)
      const values = differences(given, expected, (a, b) => a !== b)
      const shapes = differences(given, expected, () => false).filter(
        (difference) => !isOtherMember(difference),
      )
      const isSameCode = given.error?.code === error?.code
      if (values.length === 0) counts.equal++
      else if (shapes.length === 0 && isSameCode) counts['same shape']++
      else {
        counts.otherwise++
        different.add(file)
        if (DEVIATIONS[file] === undefined)
          unexpected.push(`${file}: ${shapes.join(', ')} ${JSON.stringify(given).slice(0, 200)}`)
      }
    }
    console.log(`execution-apis: ${exchanges.length} exchanges`, counts)
    expect(unexpected).toEqual([])
    // None is named that is answered as there.
    expect([...different].sort()).toEqual(Object.keys(DEVIATIONS).sort())
  })
})
