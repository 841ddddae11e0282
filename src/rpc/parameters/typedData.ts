/** Typed data as a parameter: an object, or its JSON text, as wallets send it. */
import { z } from 'zod'
import type { TypedData } from '../../base/typedData.ts'
import { delegate } from './delegate.ts'

const fields = z.array(z.object({ name: z.string(), type: z.string() }))
const members = z.record(z.string(), z.unknown())

const object = z.object({
  types: z.record(z.string(), fields),
  primaryType: z.string(),
  domain: members,
  message: members,
})

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
    return JSON.parse(value) as unknown
  } catch {
    context.addIssue({ code: 'custom', message: 'typed data is not JSON' })
    return z.NEVER
  }
}

/** EIP-712 typed data. */
export const typedData = z
  .unknown()
  .transform((value, context): TypedData => {
    const data = delegate(object, parse(value, context), context)
    if (data.types?.['EIP712Domain'] !== undefined) return data
    const present = DOMAIN_FIELDS.filter(({ name }) => name in (data.domain ?? {}))
    return { ...data, types: { ...data.types, EIP712Domain: present } }
  })
  .meta({ description: 'typed data (EIP-712), as an object or its JSON text' })
