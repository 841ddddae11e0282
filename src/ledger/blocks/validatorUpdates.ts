/** The stored form of a block's validator updates. */
import { createRecordReader } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'
import type { ValidatorPower } from '../../chain/staking/validatorSet.ts'

const KEY_SIZE = 32

/** The record of updates. */
export function encodeValidatorUpdates(updates: readonly ValidatorPower[]): Uint8Array {
  return writeRecord((writer) => {
    for (const { publicKey, power } of updates) {
      writer.fixed(publicKey)
      writer.bigint(power)
    }
  })
}

/** The updates of a record. Throws CorruptRecordError. */
export function decodeValidatorUpdates(record: Uint8Array): readonly ValidatorPower[] {
  const reader = createRecordReader(record)
  const updates: ValidatorPower[] = []
  while (!reader.isAtEnd())
    updates.push({ publicKey: reader.fixed(KEY_SIZE), power: reader.bigint() })
  return updates
}
