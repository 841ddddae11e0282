import { expect, test } from 'vitest'
import { sha256 } from '../base/sha256.ts'
import { keccak256 } from '../base/keccak.ts'
import { utf8 } from '../base/bytes.ts'
import { at, steadyChain } from '../../test/support/lightChain.ts'
import { dataHash, resultsHash, transactionProof } from './comet/data.ts'
import {
  verifyResults,
  verifyTransactionProof,
  verifyTransactions,
} from './comet/transactionClaim.ts'
import { ProofError } from './mpt.ts'
import { verifyReceiptClaim, type ReceiptClaim } from './receiptClaim.ts'
import { encodeReceipt } from './receiptEncoding.ts'

const claim: ReceiptClaim = {
  type: 2,
  status: 1,
  gasUsed: 40_000n,
  cumulativeGasUsed: 61_000n,
  logsBloom: new Uint8Array(256).fill(3),
  logs: [
    {
      address: new Uint8Array(20).fill(1),
      topics: [new Uint8Array(32).fill(2), new Uint8Array(32)],
      data: utf8('data'),
    },
  ],
}
const result = {
  code: 0,
  data: keccak256(encodeReceipt(claim)),
  gasWanted: 90_000n,
  gasUsed: 40_000n,
}

const flips = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: bytes.length * 8 }, (_, bit) =>
    bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)),
  )

test('a receipt holds under its result, and no bit of it can be flipped', () => {
  verifyReceiptClaim(result, claim)
  const [log] = claim.logs
  if (log === undefined) throw new RangeError('the claim has a log')
  const [first, second] = log.topics as [Uint8Array, Uint8Array]
  const lies: ReceiptClaim[] = [
    { ...claim, type: 1 },
    { ...claim, type: 0 },
    { ...claim, status: 0 },
    { ...claim, gasUsed: 40_001n },
    { ...claim, cumulativeGasUsed: 61_001n },
    { ...claim, logs: [] },
    { ...claim, logs: [log, log] },
    { ...claim, logs: [{ ...log, topics: [first] }] },
    { ...claim, logs: [{ ...log, topics: [second, first] }] },
    ...flips(claim.logsBloom).map((logsBloom) => ({ ...claim, logsBloom })),
    ...flips(log.address).map((address) => ({ ...claim, logs: [{ ...log, address }] })),
    ...flips(first).map((topic) => ({ ...claim, logs: [{ ...log, topics: [topic, second] }] })),
    ...flips(log.data).map((data) => ({ ...claim, logs: [{ ...log, data }] })),
  ]
  for (const lie of lies) expect(() => verifyReceiptClaim(result, lie)).toThrow(ProofError)
  for (const data of flips(result.data))
    expect(() => verifyReceiptClaim({ ...result, data }, claim)).toThrow(ProofError)
})

test('a refused transaction has no receipt to prove', () => {
  const refused = { ...result, code: 2, data: new Uint8Array(0) }
  expect(() => verifyReceiptClaim(refused, claim)).toThrow('it has no receipt')
})

const txs = ['one', 'two', 'three'].map(utf8)
const base = at(steadyChain(2), 2).header

test('transactions are proven one by one or all together, and in no other place or order', () => {
  const header = { ...base, dataHash: dataHash(sha256, txs) }
  verifyTransactions(sha256, header, txs)
  for (const other of [[], txs.slice(1), txs.toReversed(), [...txs, utf8('four')]])
    expect(() => verifyTransactions(sha256, header, other)).toThrow('data_hash')
  const proof = transactionProof(sha256, txs, 1)
  verifyTransactionProof(sha256, header, utf8('two'), proof)
  expect(() => verifyTransactionProof(sha256, header, utf8('one'), proof)).toThrow(ProofError)
  for (const index of [0, 2, 3])
    expect(() => verifyTransactionProof(sha256, header, utf8('two'), { ...proof, index })).toThrow(
      ProofError,
    )
})

test('results are proven by the header after them', () => {
  const results = [result, { ...result, code: 1, gasUsed: 7n }]
  const next = { ...base, lastResultsHash: resultsHash(sha256, results) }
  verifyResults(sha256, next, results)
  for (const other of [
    [],
    results.slice(1),
    results.toReversed(),
    [result, { ...result, code: 1, gasUsed: 8n }],
    [result, { ...result, code: 0, gasUsed: 7n }],
    [
      { ...result, gasWanted: 0n },
      { ...result, code: 1, gasUsed: 7n },
    ],
  ])
    expect(() => verifyResults(sha256, next, other)).toThrow('last_results_hash')
})
