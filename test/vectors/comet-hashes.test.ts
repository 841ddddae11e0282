/** Recomputes hashes and signatures of recorded CometBFT v0.38 answers (vectors: comet/rpc-fixtures-v0_38). */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { verifyEd25519 } from '../../src/base/ed25519.ts'
import { fromHex, toHexDigits } from '../../src/base/hex.ts'
import { sha256 } from '../../src/base/sha256.ts'
import { decodeBlock, encodeBlock, identifyBlock } from '../../src/proof/comet/block.ts'
import { commitHash } from '../../src/proof/comet/commit.ts'
import {
  consensusParamsHash,
  dataHash,
  evidenceHash,
  transactionProof,
} from '../../src/proof/comet/data.ts'
import { headerHash } from '../../src/proof/comet/header.ts'
import { verifyMerkleProof } from '../../src/proof/comet/merkle.ts'
import { parseTime } from '../../src/proof/comet/time.ts'
import type { Block, BlockId, Commit, Header, Validator } from '../../src/proof/comet/types.ts'
import { addressOfPublicKey, validatorsHash } from '../../src/proof/comet/validators.ts'
import { verifyCommit } from '../../src/proof/comet/verifyCommit.ts'

const FOLDER = join(
  process.env['ASSAY_VECTORS'] ?? '../shared/vectors',
  'comet/rpc-fixtures-v0_38/incoming',
)
const REQUIRED = process.env['ASSAY_VECTORS_REQUIRED'] === '1'
const present = existsSync(FOLDER)
if (!present && !REQUIRED) console.warn(`skipped: no vectors in ${FOLDER} (set ASSAY_VECTORS)`)

/** Walks into parsed JSON; a missing key is undefined. */
function at(json: unknown, ...path: readonly string[]): unknown {
  let value = json
  for (const key of path)
    value =
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string, unknown>>)[key]
        : undefined
  return value
}
const text = (json: unknown, ...path: readonly string[]) => {
  const value = at(json, ...path)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
const list = (json: unknown, ...path: readonly string[]): readonly unknown[] => {
  const value = at(json, ...path)
  return Array.isArray(value) ? value : []
}

const crypto = { sha256, verifyEd25519 }
const counts: Record<string, number> = {}
const count = (what: string) => (counts[what] = (counts[what] ?? 0) + 1)
const hex = (bytes: Uint8Array) => toHexDigits(bytes).toUpperCase()
const readFixture = (name: string): unknown => JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))
const hexAt = (json: unknown, ...path: readonly string[]) => fromHex(text(json, ...path))
const base64 = (encoded: string) => new Uint8Array(Buffer.from(encoded, 'base64'))

function timeOf(text: string): bigint {
  const time = parseTime(text)
  if (time === undefined) throw new SyntaxError(`not a time: ${text}`)
  return time
}

function blockIdOf(json: unknown): BlockId {
  const parts = { total: Number(text(json, 'parts', 'total')), hash: hexAt(json, 'parts', 'hash') }
  return { hash: hexAt(json, 'hash'), parts }
}

function headerOf(json: unknown): Header {
  return {
    version: {
      block: BigInt(text(json, 'version', 'block')),
      app: BigInt(text(json, 'version', 'app')),
    },
    chainId: text(json, 'chain_id'),
    height: Number(text(json, 'height')),
    timeNs: timeOf(text(json, 'time')),
    lastBlockId: blockIdOf(at(json, 'last_block_id')),
    lastCommitHash: hexAt(json, 'last_commit_hash'),
    dataHash: hexAt(json, 'data_hash'),
    validatorsHash: hexAt(json, 'validators_hash'),
    nextValidatorsHash: hexAt(json, 'next_validators_hash'),
    consensusHash: hexAt(json, 'consensus_hash'),
    appHash: hexAt(json, 'app_hash'),
    lastResultsHash: hexAt(json, 'last_results_hash'),
    evidenceHash: hexAt(json, 'evidence_hash'),
    proposerAddress: hexAt(json, 'proposer_address'),
  }
}

function commitOf(json: unknown): Commit {
  return {
    height: Number(text(json, 'height')),
    round: Number(text(json, 'round')),
    blockId: blockIdOf(at(json, 'block_id')),
    signatures: list(json, 'signatures').map((entry) => ({
      blockIdFlag: Number(text(entry, 'block_id_flag')) as 1 | 2 | 3,
      validatorAddress: hexAt(entry, 'validator_address'),
      timeNs: timeOf(text(entry, 'timestamp')),
      signature: base64(text(entry, 'signature')),
    })),
  }
}

function genesisValidators(): { chainId: string; validators: readonly Validator[]; hash: string } {
  const genesis = at(readFixture('genesis.json'), 'result', 'genesis')
  const validators = list(genesis, 'validators').map((entry) => ({
    address: hexAt(entry, 'address'),
    publicKey: base64(text(entry, 'pub_key', 'value')),
    power: BigInt(text(entry, 'power')),
    proposerPriority: 0n,
  }))
  for (const { publicKey, address } of validators) {
    expect(addressOfPublicKey(sha256, publicKey)).toEqual(address)
    count('validator address')
  }
  return {
    chainId: text(genesis, 'chain_id'),
    validators,
    hash: hex(validatorsHash(sha256, validators)),
  }
}

// The set of the recorded node; one recorded block comes from another chain of the same name.
let known: ReturnType<typeof genesisValidators> | undefined

function checkCommit(commit: Commit, validatorsHashHex: string): void {
  known ??= genesisValidators()
  if (validatorsHashHex !== known.hash || commit.signatures.length === 0) {
    count('commit by an unknown set (not checked)')
    return
  }
  const expected = { height: commit.height, blockId: commit.blockId }
  verifyCommit(crypto, known.chainId, known.validators, expected, commit)
  count('commit signatures')
}

function checkHeader(header: Header, blockId: BlockId): void {
  expect(hex(headerHash(sha256, header))).toBe(hex(blockId.hash))
  count('header hash')
  const isDefault = hex(header.consensusHash).startsWith('048091BC')
  if (isDefault) {
    const params = { maxBytes: 22_020_096n, maxGas: -1n }
    expect(hex(consensusParamsHash(sha256, params))).toBe(hex(header.consensusHash))
    count('consensus hash')
  }
}

function checkBlock(json: unknown, blockId: BlockId): void {
  const header = headerOf(at(json, 'header'))
  const block: Block = {
    header,
    txs: list(json, 'data', 'txs').map((tx) => base64(String(tx))),
    lastCommit: commitOf(at(json, 'last_commit')),
  }
  checkHeader(header, blockId)
  expect(dataHash(sha256, block.txs)).toEqual(header.dataHash)
  count('data hash')
  expect(commitHash(sha256, block.lastCommit)).toEqual(header.lastCommitHash)
  count('last commit hash')
  checkCommit(block.lastCommit, hex(header.validatorsHash))
  if (list(json, 'evidence', 'evidence').length > 0) return
  expect(evidenceHash(sha256, [])).toEqual(header.evidenceHash)
  expect(identifyBlock(sha256, block).blockId).toEqual(blockId)
  expect(identifyBlock(sha256, decodeBlock(encodeBlock(block))).blockId).toEqual(blockId)
  count('part set')
}

function checkTransaction(json: unknown): void {
  const tx = base64(text(json, 'tx'))
  if (at(json, 'hash') !== undefined) {
    expect(hex(sha256(tx))).toBe(text(json, 'hash'))
    count('transaction hash')
  }
  const outer = at(json, 'proof')
  if (outer === undefined) return
  const proof = {
    total: Number(text(outer, 'proof', 'total')),
    index: Number(text(outer, 'proof', 'index')),
    leafHash: base64(text(outer, 'proof', 'leaf_hash')),
    aunts: list(outer, 'proof', 'aunts').map((aunt) => base64(String(aunt))),
  }
  expect(verifyMerkleProof(sha256, hexAt(outer, 'root_hash'), sha256(tx), proof)).toBe(true)
  if (proof.total === 1) expect(transactionProof(sha256, [tx], 0)).toEqual(proof)
  count('transaction proof')
}

function walk(json: unknown): void {
  if (typeof json !== 'object' || json === null) return
  if (at(json, 'block_id') !== undefined && at(json, 'block', 'header') !== undefined)
    checkBlock(at(json, 'block'), blockIdOf(at(json, 'block_id')))
  else if (at(json, 'block_id') !== undefined && at(json, 'header') !== undefined)
    checkHeader(headerOf(at(json, 'header')), blockIdOf(at(json, 'block_id')))
  else if (at(json, 'commit') !== undefined && at(json, 'header') !== undefined) {
    const commit = commitOf(at(json, 'commit'))
    checkHeader(headerOf(at(json, 'header')), commit.blockId)
    checkCommit(commit, text(json, 'header', 'validators_hash'))
  }
  if (typeof at(json, 'tx') === 'string') checkTransaction(json)
  for (const value of Object.values(json)) walk(value)
}

const files = present ? readdirSync(FOLDER).filter((name) => name.endsWith('.json')) : []

test('the vectors are there when they are required', () => {
  expect(present || !REQUIRED).toBe(true)
})

test.each(files)('%s: every hash and signature is recomputed', (name) => {
  walk(readFixture(name))
})

afterAll(() => {
  if (!present) return
  console.warn('comet hashes:', counts)
  expect(counts['commit signatures']).toBeGreaterThan(20)
})
