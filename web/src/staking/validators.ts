/** All validators: those of the set, those who wait for a place, and those who are out. */
import {
  addressesOf,
  amountOf,
  countOf,
  eventTopic,
  read,
  readMany,
  structOf,
  type View,
} from '../abi/contract.ts'
import { AbiError, type AbiValue } from '../abi/types.ts'
import { STAKING } from '../chain/genesisAddresses.ts'
import type { Node } from '../net/context.ts'
import { RpcError } from '../net/jsonRpc.ts'
import { loadEvents, parameterOf } from './logs.ts'
import type { Parameters, Staking, Validator } from './types.ts'

const NOBODY = '0x0000000000000000000000000000000000000000'

function parametersOf(value: AbiValue): Parameters {
  const fields = structOf(STAKING, 'parameters', value)
  return {
    powerUnit: amountOf(fields, 'powerUnit'),
    unbondingTime: countOf(fields, 'unbondingTime'),
    jailTime: countOf(fields, 'jailTime'),
    maxValidators: countOf(fields, 'maxValidators'),
    signedWindow: countOf(fields, 'signedWindow'),
    maxMissed: countOf(fields, 'maxMissed'),
    doubleSignSlash: countOf(fields, 'doubleSignSlash'),
    absenceSlash: countOf(fields, 'absenceSlash'),
  }
}

function validatorOf(operator: string, value: AbiValue): Validator {
  const fields = structOf(STAKING, 'validatorOf', value)
  return {
    operator,
    publicKey: String(fields['publicKey']),
    tokens: amountOf(fields, 'tokens'),
    shares: amountOf(fields, 'shares'),
    power: amountOf(fields, 'power'),
    commission: countOf(fields, 'commission'),
    maxCommission: countOf(fields, 'maxCommission'),
    maxCommissionChange: countOf(fields, 'maxCommissionChange'),
    isCandidate: countOf(fields, 'place') > 0,
    isJailed: fields['isJailed'] === true,
    jailedUntil: amountOf(fields, 'jailedUntil'),
    isTombstoned: fields['isTombstoned'] === true,
    infractionHeight: countOf(fields, 'infractionHeight'),
    slashHeight: countOf(fields, 'slashHeight'),
  }
}

/** The validators of some operators, in their order; accounts that are not operators are skipped. */
export async function readValidators(
  node: Node,
  operators: readonly string[],
): Promise<readonly Validator[]> {
  const views = operators.map((operator): View => ({ name: 'validatorOf', values: [operator] }))
  const answers = await readMany(node, STAKING, views)
  return operators
    .map((operator, index) => validatorOf(operator, answers[index] ?? ''))
    .filter(({ publicKey }) => /[1-9a-f]/.test(publicKey.slice(2)))
}

/** Operators of the consensus addresses of genesis: no event tells of them. */
async function genesisOperators(
  node: Node,
  addresses: readonly string[],
): Promise<readonly string[]> {
  const views = addresses.map((address): View => ({
    name: 'operatorOf',
    values: [`0x${address.toLowerCase()}`],
  }))
  const operators = (await readMany(node, STAKING, views)).map(String)
  return operators.filter((operator) => operator !== NOBODY)
}

/** What genesis decided; undefined on chains from before there was such a contract. */
async function loadParameters(node: Node): Promise<Parameters | undefined> {
  try {
    return parametersOf(await read(node, STAKING, 'parameters'))
  } catch (error) {
    if (error instanceof RpcError || error instanceof AbiError) return undefined
    throw error
  }
}

/** Everything about staking but who delegated; undefined on chains without it. `genesis`: consensus addresses. */
export async function loadStaking(
  node: Node,
  genesis: readonly string[],
): Promise<Staking | undefined> {
  const parameters = await loadParameters(node)
  if (parameters === undefined) return undefined
  const [[totals = '', set = [], candidates = []], created, first] = await Promise.all([
    readMany(node, STAKING, [{ name: 'totals' }, { name: 'validatorSet' }, { name: 'candidates' }]),
    loadEvents(node, [[eventTopic(STAKING, 'ValidatorCreated')]]),
    genesisOperators(node, genesis),
  ])
  const operators = new Set([
    ...addressesOf(set),
    ...addressesOf(candidates),
    ...created.map((event) => parameterOf(event, 'operator')),
    ...first,
  ])
  const sums = structOf(STAKING, 'totals', totals)
  const validators = await readValidators(node, [...operators])
  return {
    parameters,
    bonded: amountOf(sums, 'bonded'),
    unbonding: amountOf(sums, 'unbonding'),
    validators: validators.toSorted(
      (a, b) =>
        Number(b.power - a.power) ||
        Number(b.tokens - a.tokens) ||
        (a.operator < b.operator ? -1 : 1),
    ),
  }
}
