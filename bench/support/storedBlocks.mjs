// Blocks as execution would give them, for what measures the store alone: transfers among many accounts, or logs.
import crypto from 'node:crypto'
import { logsBloom } from '../../dist/chain/bloom.js'
import { toHexDigits } from '../../dist/base/hex.js'
import { keccak256 } from '../../dist/base/keccak.js'
import { EMPTY_CODE_HASH } from '../../dist/evm/types.js'

export const sha256 = (bytes) => crypto.createHash('sha256').update(bytes).digest()

const ZERO = new Uint8Array(32)
const NO_BLOOM = new Uint8Array(256)
const COINBASE = new Uint8Array(20).fill(0xcb)
const TRANSFER_GAS = 21_000n

const headerOf = (height, bloom = NO_BLOOM) => ({
  height,
  hash: sha256(`block ${height}`),
  parentHash: sha256(`block ${height - 1}`),
  timeNs: BigInt(height) * 1_000_000_000n,
  proposer: COINBASE,
  coinbase: COINBASE,
  transactionsRoot: ZERO,
  receiptsRoot: ZERO,
  logsBloom: bloom,
  gasLimit: 30_000_000n,
  gasUsed: TRANSFER_GAS,
  baseFeePerGas: 1n,
  prevRandao: ZERO,
  size: 1000,
})

const receiptOf = (index, logs, bloom) => ({
  type: 2,
  status: 1,
  gasUsed: TRANSFER_GAS,
  cumulativeGasUsed: TRANSFER_GAS * BigInt(index + 1),
  effectiveGasPrice: 1n,
  contractAddress: undefined,
  logs,
  logsBloom: bloom,
  firstLogIndex: 0,
})

const resultOf = (raw) => ({
  code: 0,
  codespace: '',
  log: '',
  data: keccak256(raw),
  gasWanted: TRANSFER_GAS,
  gasUsed: TRANSFER_GAS,
})

/** So many accounts: `genesis()` is a block that makes them, `transfers(height, count)` one of random transfers among them. */
export function accountsOf(count) {
  const addresses = Array.from({ length: count }, (_, i) =>
    keccak256(Uint8Array.of(i >> 16, (i >> 8) & 255, i & 255)).slice(0, 20),
  )
  const nonces = new Uint32Array(count)
  const effectOf = (i) => [
    toHexDigits(addresses[i]),
    {
      address: addresses[i],
      account: { nonce: BigInt(nonces[i]), balance: 10n ** 20n, codeHash: EMPTY_CODE_HASH },
      storageCleared: false,
      storage: new Map(),
    },
  ]
  function transfers(height, number) {
    const touched = new Set()
    const transactions = []
    const receipts = []
    const decided = []
    for (let i = 0; i < number; i++) {
      const [from, to] = [crypto.randomInt(count), crypto.randomInt(count)]
      nonces[from]++
      touched.add(from).add(to)
      const raw = crypto.randomBytes(110)
      transactions.push({ raw, hash: keccak256(raw), sender: addresses[from] })
      receipts.push(receiptOf(i, [], NO_BLOOM))
      decided.push({ raw, transactionIndex: i, result: resultOf(raw) })
    }
    const effects = new Map([...touched].map(effectOf))
    return {
      header: headerOf(height),
      transactions,
      receipts,
      decided,
      effects,
      validatorUpdates: [],
      systemLogs: [],
    }
  }
  return {
    addresses,
    genesis: () => ({
      header: headerOf(0),
      effects: new Map(addresses.map((_, i) => effectOf(i))),
    }),
    transfers,
  }
}

/** A block with one transaction that emits these logs. */
export function blockOfLogs(height, logs) {
  const bloom = logsBloom(logs)
  const raw = sha256(`transaction ${height}`)
  return {
    header: headerOf(height, bloom),
    transactions: [{ raw, hash: keccak256(raw), sender: COINBASE }],
    receipts: [receiptOf(0, logs, bloom)],
    decided: [],
    effects: new Map(),
    validatorUpdates: [],
    systemLogs: [],
  }
}
