/** What people do at the staking contract, from what they typed. */
import { dataOf } from '../abi/contract.ts'
import type { AbiValue } from '../abi/types.ts'
import { STAKING } from '../chain/genesisAddresses.ts'
import { parseAmount, parseRate } from '../format/amount.ts'
import { fieldOf } from '../format/form.ts'
import { isHex } from '../format/hex.ts'
import { FieldError } from '../wallet/problem.ts'
import type { Deed } from '../wallet/perform.ts'
import { hexOfBase64 } from './genesisNames.ts'
import { sharesFor } from './stake.ts'
import type { Delegation } from './types.ts'

function deed(name: string, values: readonly AbiValue[], value = 0n): Deed {
  return { to: STAKING, data: dataOf(STAKING, name, values), value }
}

/** An amount above zero. Throws FieldError. */
export function amountIn(form: FormData, field: string): bigint {
  const amount = parseAmount(fieldOf(form, field))
  if (amount === undefined)
    throw new FieldError(field, 'Enter an amount in whole units, such as 12.5.')
  if (amount === 0n) throw new FieldError(field, 'The amount must be greater than 0.')
  return amount
}

function rateIn(form: FormData, field: string): bigint {
  const points = parseRate(fieldOf(form, field))
  if (points === undefined)
    throw new FieldError(field, 'Enter a percentage from 0 to 100, such as 5 or 7.25.')
  return points
}

function addressIn(form: FormData, field: string): string {
  const text = fieldOf(form, field).trim()
  if (!isHex(text, 20)) throw new FieldError(field, 'Enter an address: 0x and 40 hex digits.')
  return text
}

/** 32 bytes as in priv_validator_key.json (base64), or as hex. */
function keyIn(form: FormData, field: string): string {
  const text = fieldOf(form, field).trim()
  if (isHex(text, 32)) return text
  if (/^[A-Za-z0-9+/]{43}=$/.test(text)) return hexOfBase64(text)
  throw new FieldError(
    field,
    'Enter the Ed25519 key: 44 characters of base64 as in priv_validator_key.json, or 0x and 64 hex digits.',
  )
}

/** Shares of a delegation that can move, by an amount. */
function sharesIn(form: FormData, field: string, delegation: Delegation | undefined): bigint {
  const amount = amountIn(form, field)
  if (delegation === undefined)
    throw new FieldError(field, 'This account has no stake delegated to this validator.')
  if (amount > delegation.amount)
    throw new FieldError(field, 'This is more than the account has delegated here.')
  return sharesFor(amount, delegation)
}

/** Fields `amount`. */
export function delegate(operator: string, form: FormData): Deed {
  return deed('delegate', [operator], amountIn(form, 'amount'))
}

/** Fields `amount`. */
export function undelegate(
  operator: string,
  delegation: Delegation | undefined,
  form: FormData,
): Deed {
  return deed('undelegate', [operator, sharesIn(form, 'amount', delegation)])
}

/** Fields `amount` and `to`. */
export function redelegate(
  operator: string,
  delegation: Delegation | undefined,
  form: FormData,
): Deed {
  const shares = sharesIn(form, 'amount', delegation)
  return deed('redelegate', [operator, addressIn(form, 'to'), shares])
}

export const withdrawRewards = (operator: string): Deed => deed('withdrawRewards', [operator])

export const withdrawUnbonded = (index: number): Deed => deed('withdrawUnbonded', [BigInt(index)])

export const withdrawCommission = (): Deed => deed('withdrawCommission', [])

export const unjail = (): Deed => deed('unjail', [])

/** Fields `commission`. */
export const setCommission = (form: FormData): Deed =>
  deed('setCommission', [rateIn(form, 'commission')])

/** Fields `reward`. */
export const setReward = (consensus: string, form: FormData): Deed =>
  deed('setReward', [consensus, addressIn(form, 'reward')])

/** Field `proof`: what `assay node prove-key` prints. */
export function proveKey(form: FormData): Deed {
  const words = fieldOf(form, 'proof').trim().split(/\s+/)
  if (words.length !== 3 || !words.every((word) => isHex(word, 32)))
    throw new FieldError(
      'proof',
      'Enter the line that assay node prove-key prints: three times 0x and 64 hex digits.',
    )
  return deed('proveKey', words)
}

/** Fields `key`. */
export const setConsensusKey = (form: FormData): Deed =>
  deed('setConsensusKey', [keyIn(form, 'key')])

/** Fields `key`, `stake`, `reward`, `commission`, `maxCommission` and `maxChange`. */
export function createValidator(form: FormData): Deed {
  const key = keyIn(form, 'key')
  const stake = amountIn(form, 'stake')
  const reward = addressIn(form, 'reward')
  const [commission, most, change] = [
    rateIn(form, 'commission'),
    rateIn(form, 'maxCommission'),
    rateIn(form, 'maxChange'),
  ]
  if (commission > most) throw new FieldError('commission', 'The commission exceeds its maximum.')
  return deed('createValidator', [key, reward, commission, most, change], stake)
}
