/** The signers of a block. */
import type { Commit, CommitSignature } from '../types.ts'
import type { LightBlock } from './types.ts'

const COMMITTED = 2

/** The entries of a commit that are signatures for its block, not for nil. */
export function blockSignatures({ signatures }: Commit): readonly CommitSignature[] {
  return signatures.filter(({ blockIdFlag }) => blockIdFlag === COMMITTED)
}

/** `signed by 3 of 4 validators` */
export function signedBy({ commit, validators }: LightBlock): string {
  return `signed by ${blockSignatures(commit).length} of ${validators.length} validators`
}
