/** Which operators may take jobs, and their selection ranges: from the registry on the chain, if there is one. */
import { messageOf } from '../../base/errors.ts'
import { fromHex } from '../../base/hex.ts'
import type { Log } from '../../base/log.ts'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import { operatorRecord, registeredRange } from '../registry/registry.ts'
import type { DispatcherChain } from './chain.ts'
import type { Offer } from './offer.ts'

/** The space of VRF outputs, as in the registry. Operators that are in no registry have all of it. */
export const FULL_RANGE: SelectionRange = { start: 0, end: 600_000, max: 600_000 }

/** An operator's selection range; `unknown` without a chain or while it is unreachable; or why it may not take jobs. */
export type Admission =
  | { readonly range: SelectionRange | 'unknown' }
  | { readonly refusal: string }

/** Rejects where only registered operators are admitted and the chain does not respond. */
export async function admit(
  chain: DispatcherChain | undefined,
  { operator, workers }: Offer,
  log: Log,
): Promise<Admission> {
  if (chain === undefined) return { range: 'unknown' }
  const { registryContract, operators } = chain.options
  const address = fromHex(operator)
  try {
    const range = await registeredRange(chain.rpc, registryContract, address)
    if (range === undefined)
      return operators === 'any'
        ? { range: FULL_RANGE }
        : { refusal: 'not registered, or its stake does not cover its range' }
    const record = await operatorRecord(chain.rpc, registryContract, address).catch(() => undefined)
    const other = record && workers.find((type) => !record.types.some((each) => each === type))
    return other === undefined ? { range } : { refusal: `not registered for ${other} jobs` }
  } catch (error) {
    if (operators === 'registered') throw error
    log.warn({ operator, reason: messageOf(error) }, 'the registry could not be queried')
    return { range: 'unknown' }
  }
}
