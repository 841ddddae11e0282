/** Allow-lists of what may run: named registers and the values they must hold. */
import { toHexDigits } from '../../base/hex.ts'
import type { Ledger } from './ledger.ts'

/**
 * Registers of one accepted program: hex digits by name ("pcr0", "mrtd", "measurement", ...). Other registers may hold
 * any value.
 */
export type Measurement = Readonly<Record<string, string>>

/**
 * Requires that the registers match one entry of the list. An entry without registers matches nothing, and an empty
 * list refuses everything. Returns the entry. Throws AttestationRefused.
 */
export function requireMeasurement(
  ledger: Ledger,
  registers: ReadonlyMap<string, Uint8Array>,
  allowed: readonly Measurement[],
): Measurement {
  const actual = new Map([...registers].map(([name, value]) => [name, toHexDigits(value)]))
  const match = allowed.find((entry) => {
    const named = Object.entries(entry)
    return named.length > 0 && named.every(([name, value]) => actual.get(name) === value)
  })
  ledger.require(
    match !== undefined,
    `the measurement is allowed: ${Object.keys(match ?? {}).join(', ')}`,
    'the measurement is not one of the allowed ones',
  )
  return match ?? {}
}
