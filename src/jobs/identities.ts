/** What operators say about their models, in the form of the protocol (D144). */
import { isModelName } from '../base/modelName.ts'
import type { FileIdentity } from '../inference/modelIdentity.ts'
import type { JobType } from '../proof/job/job.ts'
import { MAX_IDENTITIES, type ModelIdentity } from './protocol.ts'

/** The identities of a folder, for jobs of one type: half of what a message may have. */
export function identitiesOf(
  type: JobType,
  known: ReadonlyMap<string, FileIdentity>,
): readonly ModelIdentity[] {
  return [...known]
    .filter(([model]) => isModelName(model))
    .slice(0, MAX_IDENTITIES / 2)
    .map(([model, identity]) => ({ model, type, ...identity }))
}
