import { hashTypedData, verifyTypedData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { toHex, type Hex } from '../base/hex.ts'
import { outputHash, paramsHash, promptHash, clockHash } from './hashes.ts'
import type { Statement } from './protocol.ts'
import {
  recoverStatementSigner,
  signStatement,
  STATEMENT_TYPES,
  statementDigest,
  statementMismatch,
  toBytes32,
} from './statement.ts'

const privateKey = new Uint8Array(32).fill(0x11)
const account = privateKeyToAccount(toHex(privateKey))
const domain = { chainId: 271828n, dispatcher: `0x${'cd'.repeat(20)}` }
const statement: Statement = {
  jobId: toBytes32('01'.repeat(32)),
  operator: account.address.toLowerCase(),
  jobType: 'opml',
  engine: 'llama.cpp/node-llama-cpp-3.22.1',
  modelHash: toBytes32('02'.repeat(32)),
  promptHash: promptHash('What is 2+2? é'),
  paramsHash: paramsHash({ temperature: 0.7, top_p: 0.9, max_tokens: 16 }),
  seed: toBytes32('03'.repeat(32)),
  outputHash: outputHash('four'),
  tokens: 4,
  finishReason: 'stop',
  vrfProofHash: toBytes32('04'.repeat(32)),
  clockHash: clockHash({ a: '1' }),
  startedAt: 1_700_000_000,
  finishedAt: 1_700_000_001,
}
const typedData = {
  domain: {
    name: 'Assay',
    version: '1',
    chainId: domain.chainId,
    verifyingContract: domain.dispatcher as Hex,
  },
  types: STATEMENT_TYPES,
  primaryType: 'Statement',
  message: {
    ...statement,
    jobId: statement.jobId as Hex,
    operator: statement.operator as Hex,
    modelHash: statement.modelHash as Hex,
    promptHash: statement.promptHash as Hex,
    paramsHash: statement.paramsHash as Hex,
    seed: statement.seed as Hex,
    outputHash: statement.outputHash as Hex,
    vrfProofHash: statement.vrfProofHash as Hex,
    clockHash: statement.clockHash as Hex,
    tokens: BigInt(statement.tokens),
    startedAt: BigInt(statement.startedAt),
    finishedAt: BigInt(statement.finishedAt),
  },
} as const
const signature = signStatement(statement, domain, privateKey)

test('the digest is the one that other EIP-712 libraries compute', () => {
  expect(toHex(statementDigest(statement, domain))).toBe(hashTypedData(typedData))
})

test('the signature is verified by other EIP-712 libraries', async () => {
  expect(await verifyTypedData({ ...typedData, address: account.address, signature })).toBe(true)
  expect(recoverStatementSigner(statement, domain, signature)).toBe(statement.operator)
})

test('a signature does not hold for any other field, chain or dispatcher', () => {
  for (const { name, type } of STATEMENT_TYPES.Statement) {
    const value =
      type === 'string'
        ? 'x'
        : type === 'uint64'
          ? 9
          : `0x${'99'.repeat(type === 'address' ? 20 : 32)}`
    const changed = { ...statement, [name]: value }
    expect(recoverStatementSigner(changed, domain, signature)).not.toBe(statement.operator)
    expect(statementMismatch(changed, statement)).toBe(name)
  }
  const elsewhere = { ...domain, chainId: 1n }
  expect(recoverStatementSigner(statement, elsewhere, signature)).not.toBe(statement.operator)
  const another = { ...domain, dispatcher: `0x${'ce'.repeat(20)}` }
  expect(recoverStatementSigner(statement, another, signature)).not.toBe(statement.operator)
})

test('malformed statements and signatures have no signer', () => {
  expect(recoverStatementSigner({ ...statement, seed: '0x12' }, domain, signature)).toBeUndefined()
  expect(recoverStatementSigner({ ...statement, tokens: -1 }, domain, signature)).toBeUndefined()
  expect(recoverStatementSigner(statement, domain, '0x')).toBeUndefined()
  expect(recoverStatementSigner(statement, domain, `0x${'00'.repeat(65)}`)).toBeUndefined()
})

test('a statement agrees with what is known about it, in part or whole', () => {
  expect(statementMismatch(statement, statement)).toBeUndefined()
  expect(statementMismatch(statement, { tokens: 4 })).toBeUndefined()
})
