/** The log filter object (interface.md; EIP-234 with both spellings of blockHash, D9) and its error messages (D12). */
import { z } from 'zod'
import { list, oneOfForms } from '../../base/boundedSchema.ts'
import { BOUNDS } from '../../base/bounds.ts'
import { tryFromHex } from '../../base/hex.ts'
import type { HeightBound, LogQuery } from '../../events/filters.ts'
import { RpcError } from '../../wire/errors.ts'
import { ofWhole, readInto } from '../../wire/goWords.ts'
import { address, faultOfHex, hash } from '../../wire/schema.ts'
import { blockNumber, type BlockSelector } from './selector.ts'

const MAX_TOPIC_POSITIONS = 4

type Bytes = Uint8Array

const ADDRESS = [20, 'address'] as const
const TOPIC = [32, 'topic'] as const

const addressList = list(address, BOUNDS.filterChoices)

const singleAddress = address

/** The bytes of a text, or why it has none, in go-ethereum's words. */
function decode(text: string, size: number, what: string): Bytes | string {
  const bytes = tryFromHex(text)
  if (bytes?.length === size) return bytes
  if (bytes !== undefined)
    return `hex has invalid length ${bytes.length} after decoding; expected ${size} for ${what}`
  if (text === '') return 'empty hex string'
  return faultOfHex(text) ?? 'invalid hex string'
}

function fail(context: z.RefinementCtx, message: string): never[] {
  context.addIssue({ code: 'custom', message: ofWhole(message) })
  return []
}

/** Decodes texts; anything else, and what cannot be decoded, is an issue in the words of `describe`. */
function decodeAll(
  given: readonly unknown[],
  [size, what]: readonly [number, string],
  describe: (index: number, fault: string | undefined) => string,
  context: z.RefinementCtx,
): readonly Bytes[] {
  const all: Bytes[] = []
  for (const [index, text] of given.entries()) {
    const bytes = typeof text === 'string' ? decode(text, size, what) : undefined
    if (!(bytes instanceof Uint8Array)) return fail(context, describe(index, bytes))
    all.push(bytes)
  }
  return all
}

const addresses = oneOfForms(() => [addressList, singleAddress])
  .optional()
  .transform((value, context): readonly Bytes[] => {
    if (value === undefined || value === null) return []
    if (typeof value === 'string')
      return decodeAll([value], ADDRESS, (_, fault) => `invalid address: ${fault}`, context)
    if (!Array.isArray(value)) return fail(context, 'invalid addresses in query')
    if (value.length > BOUNDS.filterChoices) return fail(context, 'exceed max addresses')
    const describe = (index: number, fault: string | undefined) =>
      fault === undefined
        ? `non-string address at index ${index}`
        : `invalid address at index ${index}: ${fault}`
    return decodeAll(value, ADDRESS, describe, context)
  })

const topicList = list(hash.nullable(), BOUNDS.filterChoices)

const singleTopic = hash

/** The topics allowed at one position; an empty list allows any, and so does null among others. */
const alternatives = oneOfForms(() => [topicList, singleTopic]).transform(
  (value, context): readonly Bytes[] => {
    if (value === null) return []
    const given: readonly unknown[] = Array.isArray(value) ? value : [value]
    if (given.length > BOUNDS.filterChoices) return fail(context, 'exceed max topics')
    const topics = given.filter((topic) => topic !== null)
    const describe = (_: number, fault: string | undefined) => fault ?? 'invalid topic(s)'
    const decoded = decodeAll(topics, TOPIC, describe, context)
    return topics.length === given.length ? decoded : []
  },
)

const topics = list(alternatives, MAX_TOPIC_POSITIONS, ofWhole('exceed max topics'))
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

const filter = z
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

/** A log filter object as a query. Throws RpcError for pending logs, which go-ethereum refuses too (D61). Both ends of the range default to the latest block. */
export const logFilter = readInto(filter, 'filters.input')
