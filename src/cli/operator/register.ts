/** `assay operator register|withdraw`: an operator's entry in its chain's registry. */
import { Command } from 'commander'
import { UserError } from '../../base/errors.ts'
import { toHex } from '../../base/hex.ts'
import type { ValueType } from '../../config/key.ts'
import { ValueError } from '../../config/key.ts'
import { integer } from '../../config/types.ts'
import { readOption } from '../options.ts'
import { chainOf, explained } from '../registry/chainOptions.ts'

const COIN = 10n ** 18n
const MAX_RANGE = 600_000

/** An amount of coins such as "60" or "0.5", in the smallest unit. */
const coins: ValueType<bigint> = {
  expects: 'an amount in coins, such as "60" or "0.5"',
  parse(raw) {
    const match = typeof raw === 'string' ? /^(\d{1,20})(?:\.(\d{1,18}))?$/.exec(raw) : null
    if (match === null) throw new ValueError('expected an amount in coins, such as "60" or "0.5"')
    return BigInt(match[1] ?? 0) * COIN + BigInt((match[2] ?? '').padEnd(18, '0'))
  },
}

const place = integer(0, MAX_RANGE)

/** The operator in a configuration file, with its chain. Throws UserError. */
async function operatorOf(file: string) {
  const { loadOperatorConfig } = await import('../../config/operator.ts')
  const config = loadOperatorConfig(file)
  return { config, ...(await chainOf({ rpcUrl: config.chain_rpc_url })) }
}

async function register(options: {
  config: string
  start: string
  end: string
  stake: string
}): Promise<void> {
  const { config, chain, signal } = await operatorOf(options.config)
  const { operatorRecord, registerCall, updateCall } =
    await import('../../jobs/registry/registry.ts')
  const { sendTransaction } = await import('../../jobs/onchain/account.ts')
  const { registry_contract: to, signer_key: key, node_id: address } = config
  const part = {
    start: readOption('--start', place, options.start),
    end: readOption('--end', place, options.end),
    types: config.node_type,
  }
  const value = readOption('--stake', coins, options.stake)
  await explained(async () => {
    const record = await operatorRecord(chain, to, address)
    const data = record === undefined ? registerCall(part, key) : updateCall(part)
    const { hash } = await sendTransaction(chain, key, { to, data, value }, signal)
    const now = await operatorRecord(chain, to, address)
    process.stdout.write(
      `${toHex(address)} has the selection range ${now?.start} to ${now?.end} with a stake of ${now?.stake}, ${now?.isActive === true ? 'active' : 'not active: its stake does not cover its range'} (${hash})\n`,
    )
  })
}

async function withdraw(options: { config: string; amount?: string }): Promise<void> {
  const { config, chain, signal } = await operatorOf(options.config)
  const { operatorRecord, requestWithdrawalCall, withdrawCall } =
    await import('../../jobs/registry/registry.ts')
  const { sendTransaction } = await import('../../jobs/onchain/account.ts')
  const { registry_contract: to, signer_key: key, node_id: address } = config
  await explained(async () => {
    const record = await operatorRecord(chain, to, address)
    if (record === undefined) throw new UserError(`${toHex(address)} is not registered`)
    const isPending = record.withdrawing > 0n
    const amount =
      options.amount === undefined ? record.stake : readOption('--amount', coins, options.amount)
    const data = isPending ? withdrawCall() : requestWithdrawalCall(amount)
    const { hash } = await sendTransaction(chain, key, { to, data }, signal)
    const now = await operatorRecord(chain, to, address)
    process.stdout.write(
      isPending
        ? `withdrew ${record.withdrawing} (${hash})\n`
        : `${now?.withdrawing} can be withdrawn from ${new Date((now?.withdrawableAt ?? 0) * 1000).toISOString()}: run this command again then (${hash})\n`,
    )
  })
}

const CONFIG = ['-c, --config <file>', "the operator's configuration file"] as const

/** `assay operator register`. */
export function registerCommand(): Command {
  return new Command('register')
    .description(
      'Register the operator in the registry of its chain, or change its selection range.',
    )
    .requiredOption(...CONFIG)
    .option('--start <n>', 'start of its selection range', '0')
    .option('--end <n>', 'end of its selection range', String(MAX_RANGE))
    .option(
      '--stake <coins>',
      'coins to add to its stake; 0.0001 per unit of the range is required',
      '0',
    )
    .action(async (_options, command: Command) => register(command.optsWithGlobals()))
}

/** `assay operator withdraw`. */
export function withdrawCommand(): Command {
  return new Command('withdraw')
    .description('Request withdrawal of the stake; run again after the delay to receive it.')
    .requiredOption(...CONFIG)
    .option('--amount <coins>', 'amount (default: all)')
    .action(async (_options, command: Command) => withdraw(command.optsWithGlobals()))
}
