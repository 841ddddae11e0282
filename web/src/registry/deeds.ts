/** What a registered operator does at the registry, from what it typed. */
import { dataOf } from '../abi/contract.ts'
import { REGISTRY } from '../chain/genesisAddresses.ts'
import { parseAmount } from '../format/amount.ts'
import { fieldOf } from '../format/form.ts'
import type { Deed } from '../wallet/perform.ts'
import { FieldError } from '../wallet/problem.ts'
import { KINDS } from './load.ts'

function amountIn(form: FormData, field: string): bigint {
  const amount = parseAmount(fieldOf(form, field))
  if (amount === undefined)
    throw new FieldError(field, 'Enter an amount in whole units, such as 12.5.')
  return amount
}

function placeIn(form: FormData, field: string, max: number): bigint {
  const text = fieldOf(form, field).replaceAll(/[\s,]/g, '')
  if (!/^\d{1,9}$/.test(text) || Number(text) > max)
    throw new FieldError(field, `Enter an integer from 0 to ${max}.`)
  return BigInt(text)
}

/** Fields `start`, `end`, `more`, and one for each kind of job. */
export function update(form: FormData, max: number): Deed {
  const start = placeIn(form, 'start', max)
  const end = placeIn(form, 'end', max)
  if (start >= end) throw new FieldError('end', 'The range must end after it starts.')
  const types = KINDS.reduce(
    (bits, { bit, name }) => (fieldOf(form, name) === '' ? bits : bits | bit),
    0,
  )
  return {
    to: REGISTRY,
    data: dataOf(REGISTRY, 'update', [start, end, BigInt(types)]),
    value: amountIn(form, 'more'),
  }
}

/** Fields `amount`. */
export function requestWithdrawal(form: FormData): Deed {
  const amount = amountIn(form, 'amount')
  if (amount === 0n) throw new FieldError('amount', 'The amount must be greater than 0.')
  return { to: REGISTRY, data: dataOf(REGISTRY, 'requestWithdrawal', [amount]), value: 0n }
}

export const withdraw = (): Deed => ({
  to: REGISTRY,
  data: dataOf(REGISTRY, 'withdraw'),
  value: 0n,
})
