/**
 * Proofs of anchors: the path in the interval's tree is from the database, everything above it from the chain's RPCs.
 */
import { bigintToFixedBytes, bytesToBigint } from '../../../base/bytes.ts'
import { fromHex, toHex } from '../../../base/hex.ts'
import { toQuantity } from '../../../base/quantity.ts'
import { sha256 } from '../../../base/sha256.ts'
import { z } from 'zod'
import { anchorSlot } from '../../../proof/bundle/checkAnchor.ts'
import type { AnchorJson } from '../../../proof/bundle/format.ts'
import { commitAnswer, validatorsAnswer } from '../../../proof/comet/json/block.ts'
import { merkleProof } from '../../../proof/comet/merkle.ts'
import { jsonRpcCaller } from '../../onchain/jsonRpc.ts'
import type { DispatcherChain } from '../chain.ts'
import type { DispatcherSql } from '../tables.ts'

const PAGE = 100
const ANSWER_MS = 5_000

type ProofJson = NonNullable<AnchorJson['proof']>
type SignedHeaderJson = NonNullable<ProofJson['signedHeader']>

const nodes = z.array(z.string())
const proofAnswer = z.object({
  accountProof: nodes,
  storageProof: z.array(z.object({ value: z.string(), proof: nodes })).length(2),
})
const headAnswer = z.object({ number: z.string(), stateRoot: z.string() })

/** Position of a receipt in the tree of its interval; undefined until the interval is anchored. */
export async function treePath(
  { db }: DispatcherSql,
  leaf: Buffer,
): Promise<Omit<AnchorJson, 'contract' | 'proof'> | undefined> {
  const place = await db
    .selectFrom('receipts as r')
    .innerJoin('anchors as a', 'a.interval', 'r.interval')
    .select(['a.interval', 'a.count', 'r.position'])
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
    interval: Number(place.interval),
    index: place.position,
    count: place.count,
    aunts: aunts.map(toHex),
  }
}

/**
 * The proof that an interval's anchor is on the chain: up to a signed header if there is a consensus RPC, otherwise up
 * to a state root. Undefined while no header commits to a state with the anchor yet. Rejects when the chain does not
 * respond.
 */
export async function anchorProof(
  { rpc, options }: DispatcherChain,
  dispatcher: string,
  interval: number,
): Promise<ProofJson | undefined> {
  const slot = anchorSlot(fromHex(dispatcher), BigInt(interval))
  const next = bigintToFixedBytes(bytesToBigint(slot) + 1n, 32)
  const slots = [toHex(slot), toHex(next)]
  const signedHeader =
    options.consensusRpcUrl === undefined
      ? undefined
      : await latestHeader(new URL(options.consensusRpcUrl))
  const head = signedHeader === undefined ? await latestHead(rpc) : undefined
  // The state after a block is the one that the next header commits to (D6).
  const height = signedHeader === undefined ? head?.number : toQuantity(heightOf(signedHeader) - 1)
  const proof = proofAnswer.parse(
    await rpc.ask('eth_getProof', [toHex(options.receiptsContract), slots, height]),
  )
  const [root, count] = proof.storageProof
  if (root === undefined || count === undefined || BigInt(root.value) === 0n) return undefined
  return {
    account: proof.accountProof,
    root: root.proof,
    count: count.proof,
    ...(signedHeader !== undefined && { signedHeader }),
    ...(head !== undefined && { stateRoot: head.stateRoot }),
  }
}

async function latestHead(rpc: DispatcherChain['rpc']): Promise<z.infer<typeof headAnswer>> {
  return headAnswer.parse(await rpc.ask('eth_getBlockByNumber', ['latest', false]))
}

function heightOf({ header }: SignedHeaderJson): number {
  return Number(header.height)
}

/** The latest header with its commit and validators, in the consensus RPC's format. */
async function latestHeader(url: URL): Promise<SignedHeaderJson> {
  const ask = jsonRpcCaller(url, 'the consensus RPC', {
    deadline: AbortSignal.timeout(ANSWER_MS),
  })
  const answer = await ask('commit', {})
  commitAnswer.parse(answer)
  const { header, commit } = (answer as z.input<typeof commitAnswer>).signed_header
  const validators: SignedHeaderJson['validators'] = []
  for (let page = 1; ; page++) {
    const params = { height: header.height, page: String(page), per_page: String(PAGE) }
    const part = await ask('validators', params)
    validatorsAnswer.parse(part)
    const given = part as z.input<typeof validatorsAnswer>
    // The position in the rotation is not covered by any hash, so no one could verify it.
    for (const { address, pub_key, voting_power } of given.validators)
      validators.push({ address, pub_key, voting_power })
    if (validators.length >= Number(given.total)) break
  }
  const { height, round, block_id, signatures } = commit
  return { header, commit: { height, round, block_id, signatures }, validators }
}
