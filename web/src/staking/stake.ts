/** What an account has at stake. */
import {
  amountOf,
  listOf,
  read,
  readMany,
  structOf,
  eventTopic,
  type View,
} from '../abi/contract.ts'
import { STAKING } from '../chain/genesisAddresses.ts'
import type { Node } from '../net/context.ts'
import { loadEvents, parameterOf, topicOf } from './logs.ts'
import type { Delegation, Stake, Unbonding } from './types.ts'
import { readValidators } from './validators.ts'

/** Operators that an account ever delegated to; itself too, for the stake of genesis is in no event. */
async function operatorsOf(node: Node, account: string): Promise<readonly string[]> {
  const own = topicOf(account)
  const events = await loadEvents(node, [
    [eventTopic(STAKING, 'Delegated'), own],
    [eventTopic(STAKING, 'Redelegated'), own],
  ])
  const named = events.flatMap((event) => [
    parameterOf(event, 'operator'),
    parameterOf(event, 'to'),
  ])
  return [...new Set([account.toLowerCase(), ...named.filter((each) => each !== '')])]
}

async function loadDelegations(node: Node, account: string): Promise<readonly Delegation[]> {
  const validators = await readValidators(node, await operatorsOf(node, account))
  const views = validators.flatMap(({ operator }): View[] => [
    { name: 'delegationOf', values: [account, operator] },
    { name: 'rewardsOf', values: [account, operator] },
  ])
  const answers = await readMany(node, STAKING, views)
  return validators
    .map(({ operator, tokens, shares: all }, index): Delegation => {
      const fields = structOf(STAKING, 'delegationOf', answers[2 * index] ?? '')
      const shares = amountOf(fields, 'shares')
      return {
        operator,
        shares,
        amount: all === 0n ? 0n : (shares * tokens) / all,
        rewards: BigInt(String(answers[2 * index + 1])),
        lockedShares: amountOf(fields, 'lockedShares'),
        lockedUntil: amountOf(fields, 'lockedUntil'),
      }
    })
    .filter(({ shares, rewards }) => shares > 0n || rewards > 0n)
}

async function loadUnbondings(node: Node, account: string): Promise<readonly Unbonding[]> {
  const entries = listOf(await read(node, STAKING, 'unbondingsOf', [account]))
  return entries.map((entry, index) => {
    const fields = structOf(STAKING, 'unbondingsOf', entry)
    return {
      index,
      operator: String(fields['validator']),
      amount: amountOf(fields, 'amount'),
      completesAt: amountOf(fields, 'completesAt'),
    }
  })
}

/** The commission that an account could withdraw; undefined where it is no operator. */
async function loadCommission(node: Node, account: string): Promise<bigint | undefined> {
  const [validator] = await readValidators(node, [account])
  if (validator === undefined) return undefined
  return BigInt(String(await read(node, STAKING, 'commissionOf', [account])))
}

/** Delegations, unbonding stake, and what can be withdrawn. */
export async function loadStake(node: Node, account: string): Promise<Stake> {
  const [balance, delegations, unbondings, commission] = await Promise.all([
    node.ethereum('eth_getBalance', [account, 'latest']),
    loadDelegations(node, account),
    loadUnbondings(node, account),
    loadCommission(node, account),
  ])
  return { balance: BigInt(String(balance)), delegations, unbondings, commission }
}

/** Shares that are worth an amount: all there are where it is no less than they are worth. */
export function sharesFor(
  amount: bigint,
  { shares, amount: worth }: Pick<Delegation, 'shares' | 'amount'>,
): bigint {
  if (worth === 0n || amount >= worth) return shares
  return (amount * shares + worth - 1n) / worth
}
