/** Trust that starts from a genesis file, which contains the validators of the first height. */
import { equalBytes } from '../../../base/bytes.ts'
import type { Validator } from '../types.ts'
import { validatorsHash } from '../validators.ts'
import { checkLightBlock } from './checkBlock.ts'
import { LightError } from './errors.ts'
import { blockAt } from './follow.ts'
import type { LightBlock, LightOptions, Provider } from './types.ts'
import { verifyOwnCommit } from './verify.ts'

/** The file's facts about the first block. */
export type GenesisTrust = {
  readonly chainId: string
  readonly initialHeight: number
  readonly timeNs: bigint
  readonly validators: readonly Validator[]
}

/** The first block of the chain: with the genesis' time and validators, and signed by these. Throws LightError. */
export async function beginAtGenesis(
  options: LightOptions,
  primary: Provider,
  genesis: GenesisTrust,
): Promise<LightBlock> {
  const block = await blockAt(primary, genesis.initialHeight)
  checkLightBlock(options.crypto, genesis.chainId, block)
  const expected = validatorsHash(options.crypto.sha256, genesis.validators)
  if (!equalBytes(block.header.validatorsHash, expected))
    throw new LightError('invalid', 'the first block is not by the validators of the genesis')
  if (block.header.timeNs !== genesis.timeNs)
    throw new LightError('invalid', 'the first block is not of the time of the genesis')
  verifyOwnCommit(options, block)
  return block
}
