/** Chains of signed headers with any validators, for tests of light clients. */
import { equalBytes, utf8 } from '../../src/base/bytes.ts'
import { ed25519Signer, verifyEd25519, type Ed25519Signer } from '../../src/base/ed25519.ts'
import { sha256 } from '../../src/base/sha256.ts'
import { NIL_BLOCK_ID } from '../../src/proof/comet/blockId.ts'
import { headerHash } from '../../src/proof/comet/header.ts'
import { LightError } from '../../src/proof/comet/light/errors.ts'
import {
  DEFAULT_LIGHT_OPTIONS,
  type LightBlock,
  type LightOptions,
  type Provider,
} from '../../src/proof/comet/light/types.ts'
import {
  ZERO_TIME_NS,
  type Commit,
  type CommitSignature,
  type Header,
  type Validator,
} from '../../src/proof/comet/types.ts'
import {
  addressOfPublicKey,
  sortValidators,
  validatorsHash,
} from '../../src/proof/comet/validators.ts'
import { commitVoteSignBytes } from '../../src/proof/comet/verifyCommit.ts'

export const SECOND_NS = 1_000_000_000n
export const START_NS = 1_750_000_000n * SECOND_NS
/** A moment soon after every block of a short chain. */
export const NOW_NS = START_NS + 1000n * SECOND_NS

export const LIGHT_OPTIONS: LightOptions = {
  ...DEFAULT_LIGHT_OPTIONS,
  crypto: { sha256, verifyEd25519 },
}

/** Validators by name, with their power. */
export type Powers = Readonly<Record<string, bigint>>

const signers = new Map<string, Ed25519Signer>()
function signerOf(name: string): Ed25519Signer {
  const known = signers.get(name) ?? ed25519Signer(sha256(utf8(name)))
  signers.set(name, known)
  return known
}

/** A set in its order. */
export function validatorsOf(powers: Powers): readonly Validator[] {
  return sortValidators(
    Object.entries(powers).map(([name, power]) => {
      const { publicKey } = signerOf(name)
      const address = addressOfPublicKey(sha256, publicKey)
      return { address, publicKey, power, proposerPriority: 0n }
    }),
  )
}

const ABSENT: CommitSignature = {
  blockIdFlag: 1,
  validatorAddress: new Uint8Array(0),
  timeNs: ZERO_TIME_NS,
  signature: new Uint8Array(0),
}

/** Signs a header as those of `names` that are in its set, in a round. */
export function signHeader(
  header: Header,
  validators: readonly Validator[],
  names: readonly string[],
  round = 0,
): LightBlock {
  const parts = { total: 1, hash: sha256(utf8('parts')) }
  const blockId = { hash: headerHash(sha256, header), parts }
  const commit: Commit = { height: header.height, round, blockId, signatures: [] }
  const signatures = validators.map((validator): CommitSignature => {
    const name = names.find((each) => equalBytes(signerOf(each).publicKey, validator.publicKey))
    if (name === undefined) return ABSENT
    const entry = { blockIdFlag: 2, timeNs: header.timeNs + SECOND_NS } as const
    const unsigned = { ...entry, validatorAddress: validator.address, signature: new Uint8Array(0) }
    const signature = signerOf(name).sign(commitVoteSignBytes(header.chainId, commit, unsigned))
    return { ...unsigned, signature }
  })
  return { header, commit: { ...commit, signatures }, validators }
}

export type ChainOptions = {
  /** The set of each height, from 1 on; the last one is also the next one. */
  readonly sets: readonly Powers[]
  /** Who signs each height; all validators by default. */
  readonly signing?: readonly (readonly string[])[]
  /** Shows which fork a block is of. */
  readonly app?: (height: number) => string
  readonly evidence?: (height: number) => string
  readonly round?: (height: number) => number
}

/** A chain from height 1, one second between blocks. */
export function lightChain(options: ChainOptions): readonly LightBlock[] {
  const { sets, app = () => 'state', evidence = () => 'none' } = options
  const blocks: LightBlock[] = []
  for (const [index, powers] of sets.entries()) {
    const height = index + 1
    const validators = validatorsOf(powers)
    const next = validatorsOf(sets[index + 1] ?? powers)
    const header: Header = {
      version: { block: 11n, app: 1n },
      chainId: 'light-1',
      height,
      timeNs: START_NS + BigInt(height) * SECOND_NS,
      lastBlockId: blocks.at(-1)?.commit.blockId ?? NIL_BLOCK_ID,
      lastCommitHash: sha256(utf8(`commit ${height}`)),
      dataHash: sha256(utf8('data')),
      validatorsHash: validatorsHash(sha256, validators),
      nextValidatorsHash: validatorsHash(sha256, next),
      consensusHash: sha256(utf8('consensus')),
      appHash: sha256(utf8(app(height))),
      lastResultsHash: sha256(utf8('results')),
      evidenceHash: sha256(utf8(evidence(height))),
      proposerAddress: validators[0]?.address ?? new Uint8Array(20),
    }
    const names = options.signing?.[index] ?? Object.keys(powers)
    blocks.push(signHeader(header, validators, names, options.round?.(height)))
  }
  return blocks
}

/** A chain of `length` blocks by the same validators. */
export function steadyChain(length: number, powers: Powers = { a: 1n, b: 1n, c: 1n, d: 1n }) {
  return lightChain({ sets: Array.from({ length }, () => powers) })
}

/** The block of a height of a chain. */
export function at(chain: readonly LightBlock[], height: number): LightBlock {
  const block = chain[height - 1]
  if (block === undefined) throw new RangeError(`the chain has no height ${height}`)
  return block
}

/** A provider of a chain. It counts its requests. */
export function providerOf(chain: readonly LightBlock[]): Provider & { readonly asked: number[] } {
  const asked: number[] = []
  const provide: Provider = async (height) => {
    const number = height === 'latest' ? chain.length : height
    asked.push(number)
    const block = chain[number - 1]
    if (block === undefined) throw new LightError('tooHigh', `height ${number} is not there yet`)
    return block
  }
  return Object.assign(provide, { asked })
}
