/**
 * Events of the staking contract as consensus events, so that clients can subscribe to them and search for them: those
 * of transactions are also in receipts, those of the end of a block nowhere else.
 */
import { bytesToBigint, equalBytes, utf8 } from '../../base/bytes.ts'
import { toChecksumAddress } from '../../base/checksumAddress.ts'
import { toHex, toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { STAKING_ADDRESS } from '../../chain/predeploys.ts'
import type { Log } from '../../evm/types.ts'
import { Staking } from '../../generated/contracts.ts'
import type { ApplicationEvent } from '../application.ts'

type EventParameter = { readonly name: string; readonly type: string; readonly indexed: boolean }

/** An event of the contract; every type of its parameters fills one word. */
export type StakingEvent = { readonly name: string; readonly inputs: readonly EventParameter[] }

/** Every event of the contract, in its order. */
export const STAKING_EVENTS: readonly StakingEvent[] = Staking.abi.filter(
  (entry) => entry.type === 'event',
)

const byTopic = new Map(
  STAKING_EVENTS.map((event) => {
    const types = event.inputs.map(({ type }) => type).join(',')
    return [toHexDigits(keccak256(utf8(`${event.name}(${types})`))), event]
  }),
)

/** Queries compare bytes: an address appears in its checksummed spelling and in lower case. */
function valuesOf(type: string, word: Uint8Array): readonly string[] {
  if (type === 'address') return [toChecksumAddress(word.subarray(12)), toHex(word.subarray(12))]
  return [type.startsWith('uint') ? bytesToBigint(word).toString() : toHex(word)]
}

function eventOf({ topics, data }: Log): ApplicationEvent | undefined {
  const event = topics[0] && byTopic.get(toHexDigits(topics[0]))
  if (event === undefined) return undefined
  let topic = 1
  let at = 0
  return {
    type: event.name,
    attributes: event.inputs.flatMap(({ name, type, indexed }) => {
      const word = indexed ? topics[topic++] : data.subarray(at, (at += 32))
      return valuesOf(type, word ?? new Uint8Array(32)).map((value) => ({
        key: name,
        value,
        index: indexed,
      }))
    }),
  }
}

/** The events among logs. */
export function stakingEvents(logs: readonly Log[]): readonly ApplicationEvent[] {
  return logs
    .filter(({ address }) => equalBytes(address, STAKING_ADDRESS))
    .flatMap((log) => eventOf(log) ?? [])
}
