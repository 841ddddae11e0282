/** A chain with one validator whose state holds what bundles prove: anchors, the registry, the hashes of blocks. */
import { createMerkleProof, createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { bigintToBytes, concatBytes, trimLeft } from '../../../src/base/bytes.ts'
import { fromHex, toHex } from '../../../src/base/hex.ts'
import { keccak256 } from '../../../src/base/keccak.ts'
import { sha256 } from '../../../src/base/sha256.ts'
import { encodeCommit, encodeHeader } from '../../../src/consensusRpc/encode/block.ts'
import { encodeValidator } from '../../../src/consensusRpc/encode/validator.ts'
import type { AnchorJson } from '../../../src/proof/bundle/format.ts'
import {
  anchorSlots,
  HISTORY_ADDRESS,
  historySlot,
  operatorSlots,
} from '../../../src/proof/bundle/slots.ts'
import { headerJson } from '../../../src/proof/comet/json/block.ts'
import { merkleProof, merkleRoot } from '../../../src/proof/comet/merkle.ts'
import type { Header } from '../../../src/proof/comet/types.ts'
import { validatorsHash } from '../../../src/proof/comet/validators.ts'
import { signHeader, steadyChain, validatorsOf } from '../lightChain.ts'

type ProofJson = NonNullable<AnchorJson['proof']>
export type SignedHeaderJson = NonNullable<ProofJson['signedHeader']>

/** What nobody but the chain decides. Times are in seconds since 1970. */
export type ChainFacts = {
  readonly chainId: string
  readonly height: number
  readonly time: number
  readonly receiptsContract: string
  readonly registryContract: string
  readonly dispatcher: string
  readonly interval: number
  readonly anchoredAt: number
  readonly operator: string
  readonly range: { readonly start: number; readonly end: number }
  readonly drawBlock: number
  readonly drawBlockHash: string
}

const POWERS = { validator: 1n }
export const VALIDATORS = validatorsOf(POWERS)
export const VALIDATORS_HASH = validatorsHash(sha256, VALIDATORS)
const FILLER = sha256(Uint8Array.of(1))

const word = (value: bigint, bytes: number): Uint8Array => {
  const out = new Uint8Array(bytes)
  out.set(bigintToBytes(value), bytes - bigintToBytes(value).length)
  return out
}

async function storageOf(slots: readonly (readonly [Uint8Array, Uint8Array])[]) {
  const trie = await createMPT({ useKeyHashing: true })
  for (const [slot, value] of slots) await trie.put(slot, RLP.encode(trimLeft(value)))
  return trie
}

/** The anchor of a receipt's digest, with its proof up to a signed header, or without a consensus engine to a state root. */
export async function proveAnchor(
  facts: ChainFacts,
  digest: Uint8Array,
  end: 'header' | 'state root',
): Promise<AnchorJson> {
  const leaves = [digest, FILLER]
  const anchor = anchorSlots(fromHex(facts.dispatcher), BigInt(facts.interval))
  const operator = operatorSlots(fromHex(facts.operator))
  const block = historySlot(facts.drawBlock)
  const { start, end: last } = facts.range
  const [receipts, registry, history] = await Promise.all([
    storageOf([
      [anchor.root, merkleRoot(sha256, leaves)],
      [anchor.count, concatBytes(word(BigInt(facts.anchoredAt), 24), word(2n, 8))],
    ]),
    storageOf([
      [operator.range, concatBytes(word(3n, 24), word(BigInt(last), 4), word(BigInt(start), 4))],
      [operator.stake, word(BigInt(last - start) * 10n ** 14n, 32)],
    ]),
    storageOf([[block, fromHex(facts.drawBlockHash)]]),
  ])
  const state = await createMPT({ useKeyHashing: true })
  const accounts = [
    [facts.receiptsContract, receipts],
    [facts.registryContract, registry],
    [HISTORY_ADDRESS, history],
  ] as const
  for (const [address, storage] of accounts)
    await state.put(
      fromHex(address),
      RLP.encode([
        bigintToBytes(1n),
        new Uint8Array(0),
        storage.root(),
        keccak256(new Uint8Array(0)),
      ]),
    )
  const nodes = async (trie: typeof state, key: Uint8Array) =>
    (await createMerkleProof(trie, key)).map(toHex)
  const root = state.root()
  return {
    contract: facts.receiptsContract,
    interval: facts.interval,
    index: 0,
    count: 2,
    aunts: merkleProof(sha256, leaves, 0).aunts.map(toHex),
    proof: {
      account: await nodes(state, fromHex(facts.receiptsContract)),
      root: await nodes(receipts, anchor.root),
      count: await nodes(receipts, anchor.count),
      history: {
        account: await nodes(state, fromHex(HISTORY_ADDRESS)),
        hash: await nodes(history, block),
      },
      registry: {
        contract: facts.registryContract,
        account: await nodes(state, fromHex(facts.registryContract)),
        range: await nodes(registry, operator.range),
        stake: await nodes(registry, operator.stake),
      },
      ...(end === 'header'
        ? { signedHeader: signed(headerOf(facts, root)) }
        : { stateRoot: toHex(root) }),
    },
  }
}

function headerOf({ chainId, height, time }: ChainFacts, appHash: Uint8Array): Header {
  const [template] = steadyChain(1, POWERS)
  if (template === undefined) throw new Error('the chain is empty')
  const lastBlockId = { hash: FILLER, parts: { total: 1, hash: FILLER } }
  const timeNs = BigInt(time) * 1_000_000_000n
  return { ...template.header, chainId, height, timeNs, appHash, lastBlockId }
}

/** A header with the signature of the validator. */
function signed(header: Header): SignedHeaderJson {
  const { commit } = signHeader(header, VALIDATORS, Object.keys(POWERS))
  const json = {
    header: encodeHeader(header),
    commit: encodeCommit(commit),
    validators: VALIDATORS.map(encodeValidator),
  }
  const { header: own, commit: votes, validators } = structuredClone(json) as SignedHeaderJson
  const { height, round, block_id, signatures } = votes
  return {
    header: own,
    commit: { height, round, block_id, signatures },
    validators: validators.map(({ address, pub_key, voting_power }) => ({
      address,
      pub_key,
      voting_power,
    })),
  }
}

/** The same header after it was changed, signed again: what a chain of the colluders' own can do. */
export function signAgain({ header }: SignedHeaderJson): SignedHeaderJson {
  return signed(headerJson.parse(header))
}
