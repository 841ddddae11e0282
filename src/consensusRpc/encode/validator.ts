/** Validators as JSON (interface.md, "Validator update"). */
import { toUpperHexDigits } from '../../base/hex.ts'
import { publicKeyJson } from '../../consensus/files/keys.ts'
import type { Validator } from '../../proof/comet/types.ts'
import { decimal } from './primitive.ts'

/** A validator of a set, with its proposer priority. */
export function encodeValidator(validator: Validator): object {
  return {
    address: toUpperHexDigits(validator.address),
    pub_key: publicKeyJson(validator.publicKey),
    voting_power: decimal(validator.power),
    proposer_priority: decimal(validator.proposerPriority),
  }
}
