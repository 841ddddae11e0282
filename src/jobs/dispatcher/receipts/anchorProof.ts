/**
 * Proofs of anchors: the path in the interval's tree is from the database, everything above it from the chain's RPCs.
 */
import { z } from 'zod'
import { fromHex, toHex } from '../../../base/hex.ts'
import { toQuantity, tryFromQuantity } from '../../../base/quantity.ts'
import { sha256 } from '../../../base/sha256.ts'
import type { AnchorJson } from '../../../proof/bundle/format.ts'
import {
  anchorSlots,
  HISTORY_ADDRESS,
  HISTORY_WINDOW,
  historySlot,
  operatorSlots,
} from '../../../proof/bundle/slots.ts'
import { merkleProof } from '../../../proof/comet/merkle.ts'
import type { Receipt } from '../../../proof/job/receipt.ts'
import type { DispatcherChain } from '../chain.ts'
import type { DispatcherSql } from '../tables.ts'
import { signedHeaderAt, type SignedHeaderJson } from './signedHeader.ts'

type ProofJson = NonNullable<AnchorJson['proof']>

/** A receipt's position, and the block of its anchor if it is known. */
export type TreePath = {
  readonly path: Omit<AnchorJson, 'contract' | 'proof'>
  readonly block: number | undefined
}

const MAX_NODES = 65
const nodes = z.array(z.string().max(2048)).max(MAX_NODES)
const proofAnswer = z.object({
  accountProof: nodes,
  storageProof: z.array(z.object({ value: z.string().max(66), proof: nodes })).max(2),
})
const headAnswer = z.object({ number: z.string().max(66), stateRoot: z.string().max(66) })

/** Position of a receipt in the tree of its interval; undefined until the interval is anchored. */
export async function treePath({ db }: DispatcherSql, leaf: Buffer): Promise<TreePath | undefined> {
  const place = await db
    .selectFrom('receipts as r')
    .innerJoin('anchors as a', 'a.interval', 'r.interval')
    .select(['a.interval', 'a.count', 'a.block_number', 'r.position'])
    .where('r.leaf', '=', leaf)
    .where('a.state', '=', 'anchored')
    .executeTakeFirst()
  if (place === undefined || place.position === null) return undefined
  const rows = await db
    .selectFrom('receipts')
    .select('leaf')
    .where('interval', '=', place.interval)
    .orderBy('position')
    .execute()
  const leaves = rows.map((row) => row.leaf)
  const { aunts } = merkleProof(sha256, leaves, place.position)
  return {
    path: {
      interval: Number(place.interval),
      index: place.position,
      count: place.count,
      aunts: aunts.map(toHex),
    },
    block: place.block_number === null ? undefined : Number(place.block_number),
  }
}

/**
 * The proof that an interval's anchor is on the chain: up to a signed header if there is a consensus RPC, otherwise up
 * to a state root. It also proves what the chain says about the draw (D78): so it is made for the state right after the
 * anchor, which still knows the block of the draw, as long as that state is kept. Undefined while no header commits to a
 * state with the anchor yet. Rejects when the chain does not respond.
 */
export async function anchorProof(
  chain: DispatcherChain,
  dispatcher: string,
  { path: { interval }, block }: TreePath,
  receipt: Receipt,
): Promise<ProofJson | undefined> {
  const head = await chain.rpc.head()
  if (block !== undefined && block < head && head - block < HISTORY_WINDOW)
    try {
      return await proofAt(chain, dispatcher, { interval, receipt, height: block })
    } catch {
      // The state of that block may be gone; the latest one is there, or the failure is reported.
    }
  return proofAt(chain, dispatcher, { interval, receipt, height: undefined })
}

/** The proof in the state after a block; undefined: after the latest block that a header commits to. */
async function proofAt(
  chain: DispatcherChain,
  dispatcher: string,
  of: { readonly interval: number; readonly receipt: Receipt; readonly height: number | undefined },
): Promise<ProofJson | undefined> {
  const { consensusRpcUrl, receiptsContract } = chain.options
  // The state after a block is the one that the next header commits to (D6).
  const signedHeader =
    consensusRpcUrl === undefined
      ? undefined
      : await signedHeaderAt(
          new URL(consensusRpcUrl),
          of.height === undefined ? undefined : of.height + 1,
        )
  const head = signedHeader === undefined ? await headAt(chain, of.height) : undefined
  const height = signedHeader === undefined ? (head?.number ?? 0) : heightOf(signedHeader) - 1
  const slots = anchorSlots(fromHex(dispatcher), BigInt(of.interval))
  const { account, words } = await prove(chain, toHex(receiptsContract), height, [
    slots.root,
    slots.count,
  ])
  const [root, count] = words
  if (root === undefined || count === undefined || BigInt(root.value) === 0n) return undefined
  return {
    account,
    root: root.proof,
    count: count.proof,
    ...(await drawProofs(chain, of.receipt, height)),
    ...(signedHeader !== undefined && { signedHeader }),
    ...(head !== undefined && { stateRoot: head.stateRoot }),
  }
}

/** What the state says about a draw: nothing about operators that are not registered, and blocks that it does not know. */
async function drawProofs(
  chain: DispatcherChain,
  { operator, drawBlock }: Receipt,
  height: number,
): Promise<Pick<ProofJson, 'history' | 'registry'>> {
  const registry = toHex(chain.options.registryContract)
  const slots = operatorSlots(fromHex(operator))
  const record = await prove(chain, registry, height, [slots.range, slots.stake])
  const [range, stake] = record.words
  const isKnown = drawBlock > 0 && drawBlock < height && drawBlock >= height - HISTORY_WINDOW
  const history = isKnown
    ? await prove(chain, HISTORY_ADDRESS, height, [historySlot(drawBlock)])
    : undefined
  const hash = history?.words[0]
  return {
    ...(range !== undefined &&
      stake !== undefined &&
      BigInt(range.value) !== 0n && {
        registry: {
          contract: registry,
          account: record.account,
          range: range.proof,
          stake: stake.proof,
        },
      }),
    ...(history !== undefined &&
      hash !== undefined &&
      BigInt(hash.value) !== 0n && { history: { account: history.account, hash: hash.proof } }),
  }
}

async function prove(
  { rpc }: DispatcherChain,
  contract: string,
  height: number,
  slots: readonly Uint8Array[],
) {
  const { accountProof, storageProof } = proofAnswer.parse(
    await rpc.ask('eth_getProof', [contract, slots.map(toHex), toQuantity(height)]),
  )
  return { account: accountProof, words: storageProof }
}

type Head = { readonly number: number; readonly stateRoot: string }

async function headAt({ rpc }: DispatcherChain, height: number | undefined): Promise<Head> {
  const { number, stateRoot } = headAnswer.parse(
    await rpc.ask('eth_getBlockByNumber', [
      height === undefined ? 'latest' : toQuantity(height),
      false,
    ]),
  )
  return { number: Number(tryFromQuantity(number) ?? 0n), stateRoot }
}

function heightOf({ header }: SignedHeaderJson): number {
  return Number(header.height)
}
