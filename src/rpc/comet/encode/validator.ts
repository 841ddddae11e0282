/** Validators and consensus parameters as JSON (research/comet.md 1.2; interface.md, "Validator update"). */
import type { ConsensusParams } from '../../../consensus/application.ts'
import type { Validator } from '../../../proof/comet/types.ts'
import { base64, decimal, upperHex } from './primitive.ts'

export function encodePublicKey(publicKey: Uint8Array): object {
  return { type: 'tendermint/PubKeyEd25519', value: base64(publicKey) }
}

export function encodeValidator(validator: Validator): object {
  return {
    address: upperHex(validator.address),
    pub_key: encodePublicKey(validator.publicKey),
    voting_power: decimal(validator.power),
    proposer_priority: decimal(validator.proposerPriority),
  }
}

export function encodeConsensusParams(params: ConsensusParams): object {
  return {
    block: { max_bytes: decimal(params.block.maxBytes), max_gas: decimal(params.block.maxGas) },
    evidence: {
      max_age_num_blocks: decimal(params.evidence.maxAgeNumBlocks),
      max_age_duration: decimal(params.evidence.maxAgeDurationNs),
      max_bytes: decimal(params.evidence.maxBytes),
    },
    validator: { pub_key_types: params.validator.publicKeyTypes },
    version: { app: decimal(params.version.app) },
    abci: { vote_extensions_enable_height: decimal(params.abci.voteExtensionsEnableHeight) },
  }
}
