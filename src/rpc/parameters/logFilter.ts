/** The log filter object (interface.md; EIP-234 with both spellings of blockHash, D9) and its error messages (D12). */
import { z } from 'zod'
import { list, oneOfForms } from '../../base/boundedSchema.ts'
import { BOUNDS } from '../../base/bounds.ts'
import type { HeightBound, LogQuery } from '../../events/filters.ts'
import { RpcError } from '../../wire/errors.ts'
import { address, hash } from '../../wire/schema.ts'
import { delegate } from './delegate.ts'
import { blockNumber, type BlockSelector } from './selector.ts'

const MAX_TOPIC_POSITIONS = 4

type Bytes = Uint8Array

const addressList = list(address, BOUNDS.filterChoices, 'exceed max addresses')

const singleAddress = address.transform((one) => [one])

const addresses = oneOfForms(() => [addressList, singleAddress])
  .optional()
  .transform((value, context): readonly Bytes[] => {
    if (value === undefined || value === null) return []
    return Array.isArray(value)
      ? delegate(addressList, value, context)
      : delegate(singleAddress, value, context)
  })

const topicList = list(hash.nullable(), BOUNDS.filterChoices, 'exceed max topics')
  // A null among alternatives matches anything, and so does an empty position.
  .transform((given) => {
    const topics = given.filter((topic) => topic !== null)
    return topics.length === given.length ? topics : []
  })

const singleTopic = hash.transform((topic) => [topic])

/** The topics allowed at one position; an empty list allows any. */
const alternatives = oneOfForms(() => [topicList, singleTopic]).transform(
  (value, context): readonly Bytes[] => {
    if (value === null) return []
    return Array.isArray(value)
      ? delegate(topicList, value, context)
      : delegate(singleTopic, value, context)
  },
)

const topics = list(alternatives, MAX_TOPIC_POSITIONS, 'exceed max topics')
  .nullish()
  .transform((positions): readonly (readonly Bytes[])[] => positions ?? [])

function boundOf(
  selector: Exclude<BlockSelector, { readonly hash: Uint8Array }> | null | undefined,
): HeightBound {
  if (!selector) return 'latest'
  if ('number' in selector) return Number(selector.number)
  return selector.tag === 'earliest' ? 'earliest' : 'latest'
}

const isPendingTag = (selector: Parameters<typeof boundOf>[0]): boolean =>
  !!selector && 'tag' in selector && selector.tag === 'pending'

/** A log filter object as a query. Throws RpcError for pending logs, which go-ethereum refuses too (D61). Both ends of the range default to the latest block. */
export const logFilter = z
  .object({
    fromBlock: blockNumber.nullish(),
    toBlock: blockNumber.nullish(),
    blockHash: hash.nullish(),
    blockhash: hash.nullish(),
    address: addresses,
    topics,
  })
  .transform(({ fromBlock, toBlock, blockHash, blockhash, address, topics }, context): LogQuery => {
    const criteria = { addresses: address, topics }
    const block = blockHash ?? blockhash
    if (!block && (isPendingTag(fromBlock) || isPendingTag(toBlock)))
      throw new RpcError('invalidParams', 'pending logs are not supported')
    if (!block) return { blocks: { from: boundOf(fromBlock), to: boundOf(toBlock) }, criteria }
    if (!fromBlock && !toBlock) return { blocks: block, criteria }
    context.addIssue({
      code: 'custom',
      message: 'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
    })
    return z.NEVER
  })
