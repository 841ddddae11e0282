/** Chain ids like `assay_271828-1`: a name, the EIP-155 id, and an epoch that a restart from genesis raises (D2). */
import { UserError } from '../base/errors.ts'

export type ChainId = {
  /** Also the type of the chain's own consensus event (D3). */
  readonly name: string
  readonly eip155: bigint
  readonly epoch: number
}

const CHAIN_ID = /^([a-z][a-z0-9]{0,30})_([1-9][0-9]{0,15})-([1-9][0-9]{0,8})$/

/** The parts of a chain id. Throws UserError. */
export function parseChainId(text: string): ChainId {
  const [, name, eip155, epoch] = CHAIN_ID.exec(text) ?? []
  if (name === undefined || eip155 === undefined || epoch === undefined)
    throw new UserError(
      `chain_id ${JSON.stringify(text)} is not of the form name_number-epoch`,
      'Use lower-case letters and digits, for example assay_271828-1.',
    )
  return { name, eip155: BigInt(eip155), epoch: Number(epoch) }
}
