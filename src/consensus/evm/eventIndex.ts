/**
 * The chain's tables as the index that event searches read. Events are derived, so only their values are indexed (D3).
 */
import { toChecksumAddress } from '../../base/checksumAddress.ts'
import { toHex, tryFromHexDigits } from '../../base/hex.ts'
import type { AddressIndex, AddressRole } from '../../ledger/events/addressIndex.ts'
import { logAt } from '../../ledger/blocks/logsRecord.ts'
import type { Log } from '../../evm/types.ts'
import type { ChainReader, StoredReceipt } from '../../chain/reader.ts'
import type { BlockHits, EventIndex, HeightRange } from '../eventIndex.ts'
import { HASH_KEY, RECIPIENT_KEY, SENDER_KEY, TRANSACTION_EVENTS } from './events.ts'
import { txResult } from './results.ts'

const ROLES: ReadonlyMap<string, AddressRole> = new Map([
  [SENDER_KEY, 'sender'],
  [RECIPIENT_KEY, 'recipient'],
])

/** Bytes of a 0x text with this many digits; undefined for any other text. */
function bytesOfText(text: string, digits: number): Uint8Array | undefined {
  return text.startsWith('0x') && text.length === digits + 2
    ? tryFromHexDigits(text.slice(2))
    : undefined
}

/** The address in a text that has one of the two spellings used in events. */
function addressOfText(text: string): Uint8Array | undefined {
  const address = bytesOfText(text, 40)
  if (address === undefined) return undefined
  return text === toHex(address) || text === toChecksumAddress(address) ? address : undefined
}

/** Indexed attributes as `<type>.<key>`, with their keys. */
function indexedTags(chainName: string): ReadonlyMap<string, string> {
  return new Map(
    TRANSACTION_EVENTS.flatMap(({ type = chainName, attributes }) =>
      attributes
        .filter(({ index }) => index)
        .map(({ key }): [string, string] => [`${type}.${key}`, key]),
    ),
  )
}

const logsOf = ({ logs: { record, places } }: StoredReceipt): readonly Log[] =>
  places.map((place) => logAt(record, place))

/** The index over a chain. Blocks themselves have no events. */
export function createEvmEventIndex(
  chainName: string,
  chain: ChainReader,
  addresses: AddressIndex,
): EventIndex {
  const tags = indexedTags(chainName)

  function findHash(value: string, { first, last }: HeightRange): readonly BlockHits[] {
    const hash = bytesOfText(value, 64)
    const place = hash && toHex(hash) === value ? chain.findTransaction(hash) : undefined
    if (place === undefined || place.height < first || place.height > last) return []
    const decided = chain.decided(place.height) ?? []
    const index = decided.findIndex(({ transactionIndex }) => transactionIndex === place.index)
    return [{ height: place.height, indexes: [index] }]
  }

  return {
    isTransactionTag: (tag) => tags.has(tag),
    isBlockTag: () => false,
    find(tag, value, range, limit) {
      const key = tags.get(tag)
      if (key === HASH_KEY) return findHash(value, range)
      const role = key === undefined ? undefined : ROLES.get(key)
      const address = addressOfText(value)
      return role === undefined || address === undefined
        ? []
        : addresses.find(role, address, range.first, range.last, limit)
    },
    blocks: ({ first, last }, limit) =>
      addresses.blocks(first, last, limit).map(({ height, count }) => ({
        height,
        indexes: Array.from({ length: count }, (_, index) => index),
      })),
    transaction(height, index) {
      const decided = chain.decided(height)?.[index]
      if (decided === undefined) return undefined
      const { transactionIndex: at } = decided
      // Each hit of a page may be in another block, so no block is decoded as a whole.
      const transaction = at === undefined ? undefined : chain.transaction(height, at)
      const stored = at === undefined ? undefined : chain.receipt(height, at)
      const receipt = stored && { ...stored, logs: logsOf(stored) }
      return { tx: decided.raw, result: txResult(chainName, decided, transaction, receipt) }
    },
  }
}
