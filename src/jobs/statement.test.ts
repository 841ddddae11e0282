import { hashTypedData, verifyTypedData, type TypedData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { toHex, type Hex } from '../base/hex.ts'
import { outputHash, paramsHash, promptHash, clockHash } from '../proof/job/hashes.ts'
import {
  STATEMENT_FIELDS,
  statementDigest,
  statementMismatch,
  type Statement,
} from '../proof/job/statement.ts'
import { recoverStatementSigner, signStatement, toBytes32 } from './statement.ts'

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
const committed: Statement = {
  ...statement,
  modelRoot: toBytes32('05'.repeat(32)),
  traceRoot: toBytes32('06'.repeat(32)),
}

const full: Statement = {
  ...committed,
  drawBlockHash: toBytes32('07'.repeat(32)),
  createdAt: 1_699_999_999,
  promptTokens: 7,
  commitment: 1,
  rowsRoot: toBytes32('08'.repeat(32)),
  templateHash: toBytes32('09'.repeat(32)),
  renderer: 'jinja/0.5.0',
  tokenListHash: toBytes32('0a'.repeat(32)),
}

/** A statement in viem's format; viem ignores what is not a field of the version. */
function typedData(version: 1 | 2 | 3, stated: Statement) {
  const message = Object.fromEntries(
    Object.entries(stated).map(([name, value]) => [
      name,
      typeof value === 'number' ? BigInt(value) : value,
    ]),
  )
  return {
    domain: {
      name: 'Assay',
      version: String(version),
      chainId: domain.chainId,
      verifyingContract: domain.dispatcher as Hex,
    },
    types: { Statement: [...STATEMENT_FIELDS[version]] } as TypedData,
    primaryType: 'Statement',
    message,
  }
}

test.each([
  [1, statement],
  [2, committed],
  [3, full],
] as const)('version %i is signed as other EIP-712 libraries do', async (version, signed) => {
  const signature = signStatement(signed, domain, privateKey)
  const data = typedData(version, signed)
  expect(toHex(statementDigest(signed, domain))).toBe(hashTypedData(data))
  expect(await verifyTypedData({ ...data, address: account.address, signature })).toBe(true)
  expect(recoverStatementSigner(signed, domain, signature)).toBe(signed.operator)
})

test('a signature does not hold for any other field, version, chain or dispatcher', () => {
  const signature = signStatement(full, domain, privateKey)
  const signerOf = (changed: Statement, where = domain) =>
    recoverStatementSigner(changed, where, signature)
  for (const { name, type } of STATEMENT_FIELDS[3]) {
    const value =
      type === 'string'
        ? 'x'
        : type === 'uint64'
          ? 9
          : `0x${'99'.repeat(type === 'address' ? 20 : 32)}`
    const changed = { ...full, [name]: value }
    expect(signerOf(changed)).not.toBe(full.operator)
    expect(statementMismatch(changed, full)).toBe(name)
  }
  expect(signerOf(statement)).not.toBe(full.operator)
  expect(signerOf(committed)).not.toBe(full.operator)
  expect(signerOf(full, { ...domain, chainId: 1n })).not.toBe(committed.operator)
  const another = { ...domain, dispatcher: `0x${'ce'.repeat(20)}` }
  expect(signerOf(full, another)).not.toBe(committed.operator)
})

test('malformed statements and signatures have no signer', () => {
  const signature = signStatement(statement, domain, privateKey)
  expect(recoverStatementSigner({ ...statement, seed: '0x12' }, domain, signature)).toBeUndefined()
  expect(recoverStatementSigner({ ...statement, tokens: -1 }, domain, signature)).toBeUndefined()
  expect(recoverStatementSigner(statement, domain, '0x')).toBeUndefined()
  expect(recoverStatementSigner(statement, domain, `0x${'00'.repeat(65)}`)).toBeUndefined()
})

test('a statement agrees with what is known about it, in part or whole', () => {
  expect(statementMismatch(statement, statement)).toBeUndefined()
  expect(statementMismatch(statement, { tokens: 4 })).toBeUndefined()
})
