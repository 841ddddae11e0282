/** The latest state as the `app_state` of a new chain's genesis. */
import { equalBytes, padLeft } from '../base/bytes.ts'
import { toHex } from '../base/hex.ts'
import { EMPTY_CODE_HASH } from '../evm/types.ts'
import { endOfPrefix } from '../store/kv.ts'
import type { Hardfork } from '../evm/rules.ts'
import type { ChainRules } from '../chain/executed.ts'
import { CorruptRecordError } from './records/reader.ts'
import { decodeAccountRecord } from './state/accountRecord.ts'
import { slotOfKey } from './state/flatKey.ts'
import type { ChainTables } from './tables.ts'

function storageOf({ slots }: ChainTables, address: Uint8Array): Record<string, string> {
  const end = endOfPrefix(address)
  const entries = slots.range({ start: address, ...(end && { end }) })
  return Object.fromEntries(
    Array.from(entries, ({ key, value }) => [toHex(slotOfKey(key)), toHex(padLeft(value, 32))]),
  )
}

function codeOf({ codes }: ChainTables, codeHash: Uint8Array): { readonly code?: string } {
  if (equalBytes(codeHash, EMPTY_CODE_HASH)) return {}
  const code = codes.get(codeHash)
  if (code === undefined) throw new CorruptRecordError('the code of an account is not stored')
  return { code: toHex(code) }
}

/**
 * JSON of `app_state` with every account of the last block, by address. Validators' reward addresses are part of it,
 * since they are in the storage of their contract, and so is all stake: of `staking`, the part of this chain's own
 * genesis, only the parameters are kept. The first base fee is `baseFee`, the fork `hardfork`. Upgrades that genesis
 * planned are omitted, since heights start over.
 */
export function exportState(
  tables: ChainTables,
  rules: ChainRules,
  { baseFee, hardfork }: { readonly baseFee: bigint; readonly hardfork: Hardfork },
  staking: object | undefined,
): object {
  const alloc = Object.fromEntries(
    Array.from(tables.accounts.range({}), ({ key, value }) => {
      const { balance, nonce, codeHash } = decodeAccountRecord(value)
      const storage = storageOf(tables, key)
      const account = {
        balance: balance.toString(),
        nonce: nonce.toString(),
        ...codeOf(tables, codeHash),
        ...(Object.keys(storage).length > 0 && { storage }),
      }
      return [toHex(key), account]
    }),
  )
  return {
    evm: {
      block_gas_limit: rules.blockGasLimit.toString(),
      initial_base_fee: baseFee.toString(),
      min_base_fee: rules.minBaseFee.toString(),
      ...(rules.hardfork !== undefined && { hardfork }),
      alloc,
      ...(staking !== undefined && { staking: { ...staking, validators: [] } }),
    },
  }
}
