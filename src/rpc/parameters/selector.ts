/** Block selectors (D9): QUANTITY, tag, 32-byte hash, or an EIP-1898 object. Error messages are go-ethereum's (D12). */
import { z } from 'zod'
import { oneOfForms, scalarText } from '../../base/boundedSchema.ts'
import type { BlockHeader } from '../../chain/block.ts'
import { StateUnavailableError, type ChainReader } from '../../chain/reader.ts'
import type { StateView } from '../../evm/types.ts'
import { accepting } from '../../wire/accept.ts'
import { RpcError } from '../../wire/errors.ts'
import { plainHash, plainQuantity } from '../../wire/schema.ts'
import { unfit } from '../../wire/goWords.ts'
import { delegate } from './delegate.ts'

/** Blocks are final immediately (single-slot finality), so `safe` and `finalized` are the latest block too. */
const TAGS = ['latest', 'pending', 'earliest', 'safe', 'finalized'] as const

/** Selects a block. Every block is canonical, so EIP-1898's requireCanonical changes nothing. */
export type BlockSelector =
  | { readonly tag: (typeof TAGS)[number] }
  | { readonly number: bigint }
  | { readonly hash: Uint8Array }

/** Selects a block by its height. */
export type NumberSelector = Exclude<BlockSelector, { readonly hash: Uint8Array }>

/** The default selector. */
export const LATEST: NumberSelector = { tag: 'latest' }

const MAX_HEIGHT = (1n << 63n) - 1n
const HASH_TEXT_LENGTH = 66

function isTag(text: string): text is (typeof TAGS)[number] {
  return (TAGS as readonly string[]).includes(text)
}

const height = plainQuantity.refine(
  (value) => value <= MAX_HEIGHT,
  'block number larger than int64',
)

/** A QUANTITY or a tag, for methods that accept no hash. A plain JSON number is refused, as in go-ethereum. */
export const blockNumber = accepting(
  scalarText('hex string without 0x prefix')
    .transform((text, context): NumberSelector =>
      isTag(text) ? { tag: text } : { number: delegate(height, text, context) },
    )
    .meta({
      description: 'block number (QUANTITY) or tag: latest, pending, earliest, safe, finalized',
    }),
  (value) => (value === 'latest' ? LATEST : undefined),
)

const blockObject = z
  .object({
    blockNumber: blockNumber.nullish(),
    blockHash: plainHash.nullish(),
    requireCanonical: z.boolean().nullish(),
  })
  .transform(({ blockNumber, blockHash }, context): BlockSelector => {
    if (blockHash && !blockNumber) return { hash: blockHash }
    if (blockNumber && !blockHash) return blockNumber
    const message = blockHash
      ? 'cannot specify both BlockHash and BlockNumber, choose one or the other'
      : 'must specify either BlockHash or BlockNumber'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

/** Any selector as given; undefined when there is none. */
const given = oneOfForms(() => [blockObject, plainHash, blockNumber]).transform(
  (value, context): BlockSelector | undefined => {
    if (value === undefined || value === null) return undefined
    if (typeof value === 'object') return delegate(blockObject, value, context)
    if (typeof value === 'string' && value.length === HASH_TEXT_LENGTH)
      return { hash: delegate(plainHash, value, context) }
    if (typeof value === 'string') return delegate(blockNumber, value, context)
    const kind = typeof value === 'boolean' ? 'bool' : typeof value
    context.addIssue({ code: 'custom', message: unfit(kind, 'string') })
    return z.NEVER
  },
)

/** Any selector; latest by default. */
export const block = accepting(
  given
    .transform((selector): BlockSelector => selector ?? LATEST)
    .meta({
      description: 'block number, tag, block hash, or EIP-1898 object; latest when omitted',
    }),
  (value) => (value === 'latest' || value === undefined ? LATEST : undefined),
)

/** Any selector, for estimates: their default depends on the chain. */
export const estimateBlock = given.meta({
  description:
    'block number, tag, block hash, or EIP-1898 object; latest when omitted, pending on a chain for development',
})

/** The height that a selector names, or undefined when this node has no such block. */
export function findHeight(chain: ChainReader, selector: BlockSelector): number | undefined {
  if ('hash' in selector) return chain.heightOfHash(selector.hash)
  if ('tag' in selector)
    return selector.tag === 'earliest' ? chain.earliestHeight() : chain.latestHeight()
  return selector.number <= BigInt(chain.latestHeight()) ? Number(selector.number) : undefined
}

/** The header that a selector names, or undefined. */
export function findHeader(chain: ChainReader, selector: BlockSelector): BlockHeader | undefined {
  const found = findHeight(chain, selector)
  return found === undefined ? undefined : chain.header(found)
}

/** The header that a selector names. Throws RpcError -32000 when this node has no such block. */
export function requireHeader(chain: ChainReader, selector: BlockSelector): BlockHeader {
  const header = findHeader(chain, selector)
  if (header) return header
  const earliest = chain.earliestHeight()
  if ('number' in selector && selector.number < BigInt(earliest))
    throw new RpcError(
      'server',
      `pruned history unavailable: blocks before ${earliest} are not kept`,
    )
  throw new RpcError(
    'server',
    'hash' in selector ? 'header for hash not found' : 'header not found',
  )
}

/** Runs a read of state; a state that this node does not store becomes RpcError -32000. */
export function readState<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof StateUnavailableError) throw new RpcError('server', error.message)
    throw error
  }
}

/** The state after the selected block. Throws RpcError -32000 for an unknown block or a state that is not stored. */
export function requireState(chain: ChainReader, selector: BlockSelector): StateView {
  // The latest block always exists: most reads are of its state, and need nothing of its header.
  const height = selector === LATEST ? chain.latestHeight() : requireHeader(chain, selector).height
  return readState(() => chain.stateAt(height))
}
