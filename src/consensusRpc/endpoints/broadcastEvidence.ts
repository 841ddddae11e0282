import { ConsensusError } from '../../consensus/engine.ts'
import { evidenceArgument, evidenceFault } from '../evidence.ts'
import { cometMethod } from '../method.ts'

export const broadcast_evidence = cometMethod({
  // See D20.
  summary:
    'Submits evidence against a validator; refused, because the embedded engine has a single validator.',
  args: { evidence: evidenceArgument },
  handler(_world: object, { evidence }): never {
    if (evidence === undefined) throw new ConsensusError('no evidence was provided')
    const fault = evidenceFault(evidence)
    if (fault !== undefined) throw new ConsensusError(`evidence.ValidateBasic failed: ${fault}`)
    throw new ConsensusError(
      'failed to add evidence: this chain has one validator, and its blocks carry no evidence',
    )
  },
})
