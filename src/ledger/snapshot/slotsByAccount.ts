/** The slots of one account after the other, for callers that iterate over the accounts in order. */
import { compareBytes } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { ADDRESS_SIZE } from '../state/flatKey.ts'
import type { ChainTables } from '../tables.ts'
import { BadSnapshotError } from './badSnapshot.ts'
import { scan, type Entry } from './scan.ts'

function orphan({ key }: Entry): BadSnapshotError {
  return new BadSnapshotError(
    `there is storage without an account: ${toHex(key.subarray(0, ADDRESS_SIZE))}`,
  )
}

/**
 * `of` returns the slots of the next account, `end` is called after the last. Both throw BadSnapshotError for slots
 * without an account.
 */
export function slotsByAccount(tables: ChainTables) {
  const entries = scan(tables.slots)
  let next = entries.next()
  return {
    *of(address: Uint8Array): Generator<Entry> {
      while (next.done !== true) {
        const order = compareBytes(next.value.key.subarray(0, ADDRESS_SIZE), address)
        if (order > 0) return
        if (order < 0) throw orphan(next.value)
        yield next.value
        next = entries.next()
      }
    },
    end(): void {
      if (next.done !== true) throw orphan(next.value)
    },
  }
}
