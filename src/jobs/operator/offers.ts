/** What an operator says about its models, as far as a dispatcher understands it (D58, D144). */
import { FORMER_MODEL_NAME } from '../../base/modelName.ts'
import type { JobType } from '../../proof/job/job.ts'
import type { FromOperator, ModelIdentity } from '../protocol.ts'

/** What the operator offers. */
export type Offer = {
  readonly workers: readonly JobType[]
  readonly models: readonly string[]
  /** What the models are, as far as it is known. */
  readonly identities?: readonly ModelIdentity[]
  readonly slots: number
}

type Hello = Extract<FromOperator, { type: 'hello' }>
type Offered = NonNullable<Extract<FromOperator, { type: 'heartbeat' }>['offer']>

/** Dispatchers accept 160 KiB before the login; a heartbeat brings what has no room. */
const HELLO_BYTES = 120 * 1024

/** The part of a hello about models: as many as there is room for. Former releases get file names alone. */
export function shortOffer(
  { models, identities = [] }: Pick<Offer, 'models' | 'identities'>,
  takesIdentities: boolean,
): Pick<Hello, 'models' | 'identities'> {
  let room = HELLO_BYTES
  const fits = (value: unknown): boolean => {
    room -= Buffer.byteLength(JSON.stringify(value)) + 1
    return room >= 0
  }
  if (!takesIdentities) return { models: formerNames(models) }
  const names = models.filter(fits)
  return { models: names, identities: identities.filter(fits) }
}

/** The offer of a heartbeat. */
export function offerMessage(
  { workers, models, identities = [] }: Omit<Offer, 'slots'>,
  { takesIdentities }: { readonly takesIdentities: boolean },
): Offered {
  if (!takesIdentities) return { workers: [...workers], models: formerNames(models) }
  return { workers: [...workers], models: [...models], identities: [...identities] }
}

function formerNames(models: readonly string[]): string[] {
  return models.filter((name) => FORMER_MODEL_NAME.test(name))
}
