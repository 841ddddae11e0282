/** Why the contracts of genesis refuse, in words. */
import { decodeRevert, type Decoded } from '../abi/book.ts'
import { itemsOf } from '../abi/store.ts'
import { rate } from '../format/amount.ts'
import { grouped, units, utc } from '../format/number.ts'
import { oneLine } from '../format/text.ts'

const DECIMALS = 18

/** Gets the parameters; those that are no numbers are 0. */
type Say = (values: readonly bigint[]) => string

const money = (amount: bigint): string => units(amount, DECIMALS)
const time = (seconds: bigint): string =>
  seconds > 253_402_300_799n ? 'never' : utc(Number(seconds))

/** By the name of the error. */
const SENTENCES: Readonly<Record<string, string | Say>> = {
  NotSystem: 'Only the chain itself can do this.',
  NotOperator: 'Only the operator of this validator can do this.',
  UnknownValidator: 'This operator has no validator.',
  ValidatorExists: 'This account already operates a validator.',
  ClosedSet:
    'The validator set of this chain is closed: no one can join, and its key cannot change.',
  ConsensusKeyInUse: 'This key is, or was, in use by another validator. Each key can be used once.',
  InvalidConsensusKey: 'The consensus key is missing.',
  InvalidKeyProof: 'This proof is not for this account, this chain and this key.',
  KeyNotProven: 'Prove first that this account has the key.',
  KeyChangeTooEarly: ([at = 0n]) => `The key can change once a day: next at ${time(at)}.`,
  CommissionOutOfBounds: ([, most = 0n]) => `The commission can be at most ${rate(Number(most))}.`,
  CommissionChangeTooLarge: ([, most = 0n]) =>
    `The commission can change by at most ${rate(Number(most))} at a time.`,
  CommissionChangeTooEarly: ([at = 0n]) =>
    `The commission can change once a day: next at ${time(at)}.`,
  InvalidRewardAddress: 'The reward address is missing.',
  StakeTooSmall: ([, needed = 0n]) =>
    needed === 1n ? 'The amount is too small.' : `At least ${money(needed)} is required.`,
  AmountTooLarge: 'The amount is larger than the contract can handle.',
  NotEnoughShares: ([, available = 0n]) =>
    available === 0n
      ? 'None of this stake can be moved now: redelegated stake is locked for the unbonding period.'
      : 'More than can be moved now: redelegated stake is locked for the unbonding period.',
  WorthlessShares: 'All stake of this validator was slashed. It no longer accepts stake.',
  SameValidator: 'Choose a different validator to move the stake to.',
  RedelegationPending: ([until = 0n]) =>
    `Stake was already redelegated to this validator: more can follow from ${time(until)}.`,
  NoSuchUnbonding: 'This was already withdrawn.',
  StillUnbonding: ([until = 0n]) => `It is still unbonding, until ${time(until)}.`,
  NothingToWithdraw: ([at = 0n]) =>
    at === 0n ? 'There is nothing to withdraw.' : `It can be withdrawn from ${time(at)}.`,
  NotJailed: 'This validator is not jailed.',
  StillJailed: ([until = 0n]) => `It is jailed until ${time(until)}.`,
  AlreadyTombstoned:
    'This validator signed twice at one height: it is permanently removed (tombstoned).',
  PaymentFailed: 'The recipient did not accept the payment.',
  NotInSet: 'Only validators in the set can vote on upgrades.',
  HeightPassed: ([height = 0n]) => `Block ${grouped(height)} has passed.`,
  NoCode: 'The source account has no code.',
  NotRegistered: 'This account is not registered as an operator.',
  AlreadyRegistered: 'This account is already registered.',
  WrongKey: 'The key does not belong to this account.',
  WrongRange: 'The selection range must start before it ends, and end at 600,000 at most.',
  WrongTypes: 'Choose at least one job type.',
  StakeTooLow: ([stake = 0n, needed = 0n]) =>
    `The stake would be ${money(stake)}; ${money(needed)} is required.`,
  WithdrawalPending: ([at = 0n]) =>
    `Another withdrawal is pending: it can be paid out from ${time(at)}.`,
}

function wordsOf(decoded: Decoded): string | undefined {
  const { name } = decoded.item
  const sentence = Object.hasOwn(SENTENCES, name) ? SENTENCES[name] : undefined
  if (typeof sentence !== 'function') return sentence
  return sentence(decoded.values.map((value) => (typeof value === 'bigint' ? value : 0n)))
}

/** Why a call of a contract is refused, by the data of its revert and what the node says of it. */
export function refusal(address: string, data: string, message: string): string {
  const decoded = decodeRevert(itemsOf, address, data)
  if (decoded === undefined) return oneLine(message, 300)
  return wordsOf(decoded) ?? `It would revert: ${oneLine(decoded.item.name, 60)}.`
}
