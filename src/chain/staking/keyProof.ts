/** What a consensus key signs to prove that an operator has it (D83), as the staking contract computes it. */
import { bigintToFixedBytes, concatAll, utf8 } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import { STAKING_ADDRESS } from '../predeploys.ts'

/** The 32-byte message for an operator (20 bytes) on the chain with this EIP-155 id: `keyProofMessage` of the contract. */
export function keyProofMessage(chainId: bigint, operator: Uint8Array): Uint8Array {
  return keccak256(
    concatAll([
      utf8('Assay consensus key'),
      bigintToFixedBytes(chainId, 32),
      STAKING_ADDRESS,
      operator,
    ]),
  )
}
