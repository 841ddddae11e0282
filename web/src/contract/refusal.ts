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
  NotSystem: 'Only the chain itself may do this.',
  NotOperator: 'Only the operator of this validator may do this.',
  UnknownValidator: 'There is no validator of this operator.',
  ValidatorExists: 'This account is the operator of a validator already.',
  ClosedSet: 'The validator set of this chain is closed: nobody joins, and its key stays.',
  ConsensusKeyInUse: 'Another validator has, or had, this key. Each key can be used once.',
  InvalidConsensusKey: 'The consensus key is missing.',
  CommissionOutOfBounds: ([, most = 0n]) => `The commission may be ${rate(Number(most))} at most.`,
  CommissionChangeTooLarge: ([, most = 0n]) =>
    `The commission may move by ${rate(Number(most))} at once.`,
  CommissionChangeTooEarly: ([at = 0n]) => `The commission moves once a day: next at ${time(at)}.`,
  InvalidRewardAddress: 'The reward address is missing.',
  StakeTooSmall: ([, needed = 0n]) =>
    needed === 1n ? 'The amount is too small.' : `At least ${money(needed)} are needed.`,
  AmountTooLarge: 'The amount is larger than the contract can hold.',
  NotEnoughShares: ([, available = 0n]) =>
    available === 0n
      ? 'None of this stake can move now: what came by a redelegation stays for the unbonding time.'
      : 'More than can move now: what came by a redelegation stays for the unbonding time.',
  WorthlessShares: 'Everything behind this validator was slashed. It takes no stake any more.',
  SameValidator: 'Choose another validator to move the stake to.',
  RedelegationPending: ([until = 0n]) =>
    `Stake was moved to this validator before: more can follow from ${time(until)} on.`,
  NoSuchUnbonding: 'This was withdrawn already.',
  StillUnbonding: ([until = 0n]) => `It is still unbonding, until ${time(until)}.`,
  NothingToWithdraw: ([at = 0n]) =>
    at === 0n ? 'There is nothing to withdraw.' : `It can be withdrawn from ${time(at)} on.`,
  NotJailed: 'This validator is not jailed.',
  StillJailed: ([until = 0n]) => `It stays in jail until ${time(until)}.`,
  AlreadyTombstoned: 'This validator signed twice for one height: it is out for ever.',
  PaymentFailed: 'The receiver did not take the payment.',
  NotInSet: 'Only validators of the set decide about upgrades.',
  HeightPassed: ([height = 0n]) => `Block ${grouped(height)} is over.`,
  NoCode: 'There is no code at the source.',
  NotRegistered: 'This account is not registered as an operator.',
  AlreadyRegistered: 'This account is registered already.',
  WrongKey: 'The key is not that of this account.',
  WrongRange: 'The part of the line must begin before it ends, and end at 600,000 at most.',
  WrongTypes: 'Choose at least one kind of job.',
  StakeTooLow: ([stake = 0n, needed = 0n]) =>
    `The stake would be ${money(stake)}; ${money(needed)} are needed.`,
  WithdrawalPending: ([at = 0n]) =>
    `Another withdrawal is under way: it can be paid from ${time(at)} on.`,
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
  return wordsOf(decoded) ?? `It would be reverted: ${oneLine(decoded.item.name, 60)}.`
}
