/** Typed data as a parameter: an object, or its JSON text, as wallets send it. */
import { z } from 'zod'
import {
  guarded,
  list,
  oneOfForms,
  OWN,
  record,
  scalarText,
  text,
  within,
} from '../../base/boundedSchema.ts'
import { BOUNDS } from '../../base/bounds.ts'
import { JsonBudgetError, parseBounded, REQUEST_LIMITS } from '../../base/jsonBudget.ts'
import type { TypedData } from '../../base/typedData.ts'
import { delegate } from './delegate.ts'

const fields = list(
  z.object({ name: text(BOUNDS.fieldName), type: text(BOUNDS.fieldName) }),
  BOUNDS.typedDataFields,
)

/** Fields over all types: a type's hash is made from all types that it needs, for each type again. */
function fieldCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  for (const each of Object.values(value)) if (Array.isArray(each)) count += each.length
  return count
}

const types = guarded(record(fields, BOUNDS.typedDataTypes), {
  max: BOUNDS.typedDataFields,
  unit: 'fields',
  measure: fieldCount,
})
const members = within(z.record(z.string(), z.unknown()), OWN)

const object = z.object({ types, primaryType: scalarText(), domain: members, message: members })

/** The domain's fields when the types omit them, in the order of EIP-712. */
const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

function parse(value: unknown, context: z.RefinementCtx): unknown {
  if (typeof value !== 'string') return value
  try {
    return parseBounded(value, { ...REQUEST_LIMITS, bytes: BOUNDS.data })
  } catch (error) {
    const message = error instanceof JsonBudgetError ? error.message : 'typed data is not JSON'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
}

/** EIP-712 typed data. */
export const typedData = oneOfForms(() => [object, text(BOUNDS.data)])
  .transform((value, context): TypedData => {
    const data = delegate(object, parse(value, context), context)
    if (data.types?.['EIP712Domain'] !== undefined) return data
    const present = DOMAIN_FIELDS.filter(({ name }) => name in (data.domain ?? {}))
    return { ...data, types: { ...data.types, EIP712Domain: present } }
  })
  .meta({ description: 'typed data (EIP-712), as an object or its JSON text' })
