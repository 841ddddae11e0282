/** `assay registry model`: what files the names of models mean, on a chain (D147). */
import { Command } from 'commander'
import { messageOf, UserError } from '../../base/errors.ts'
import { toHex } from '../../base/hex.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'
import { address } from '../../config/hexTypes.ts'
import type { KnownModel } from '../../jobs/otherFile.ts'
import { addIdentityOptions, readIdentity, type IdentityFlags } from '../model/identityFlags.ts'
import { readOption } from '../options.ts'
import { plain } from '../plain.ts'
import { columns } from '../project/columns.ts'
import { addChainOption, chainOf, explained, keyOfFile } from './chainOptions.ts'

const MAX_LISTED = 1000

type Chain = { readonly rpcUrl: string; readonly contract: string }
type Signed = Chain & { readonly keyFile: string }

function onContract(command: Command): Command {
  return addChainOption(command).requiredOption(
    '--contract <address>',
    'address of the ModelRegistry contract',
  )
}

const signed = (command: Command): Command =>
  onContract(command).requiredOption(
    '--key-file <file>',
    'file with the private key of the registrar (64 hex digits)',
  )

async function change(name: string, model: KnownModel | undefined, flags: Signed): Promise<void> {
  const { setModelCall } = await import('../../jobs/registry/models.ts')
  const { sendTransaction } = await import('../../jobs/onchain/account.ts')
  const { chain, signal } = await chainOf(flags)
  const to = readOption('--contract', address, flags.contract)
  const key = keyOfFile(flags.keyFile)
  let data: Uint8Array
  try {
    data = setModelCall(name, model)
  } catch (error) {
    throw new UserError(messageOf(error))
  }
  const { hash } = await explained(() => sendTransaction(chain, key, { to, data }, signal))
  process.stdout.write(
    `registrar    ${toHex(addressOfPrivateKey(key))}\ntransaction  ${hash}\n${plain(name)} ${model === undefined ? 'is not registered any more' : `is ${model.sha256}`}\n`,
  )
}

async function list({ registrar, ...flags }: Chain & { registrar: string }): Promise<void> {
  const { readChainModels } = await import('../../jobs/registry/models.ts')
  const { chain } = await chainOf(flags)
  const contract = readOption('--contract', address, flags.contract)
  const account = readOption('--registrar', address, registrar)
  const models = await explained(() => readChainModels(chain, contract, account, MAX_LISTED))
  const rows = models.flatMap(({ name, model }) =>
    model === undefined ? [] : [[plain(name), model.sha256]],
  )
  process.stdout.write(columns(['model', 'sha256'], rows))
}

/** The command. */
export function registryModelsCommand(): Command {
  const set = addIdentityOptions(signed(new Command('set')))
    .description('Register a name for one file, in the list of your account.')
    .argument('<name>', 'name of the model')
    .action(async (name: string, flags: Signed & IdentityFlags) => {
      const model = await readIdentity(flags)
      if (model === undefined) throw new UserError('pass one of --file and --sha256')
      await change(name, model, flags)
    })
  const remove = signed(new Command('rm'))
    .description('Remove a name from the list of your account.')
    .argument('<name>', 'name of the model')
    .action((name: string, flags: Signed) => change(name, undefined, flags))
  const listing = onContract(new Command('list'))
    .description('List the names of an account.')
    .requiredOption('--registrar <address>', 'the account')
    .action(list)
  return new Command('model')
    .description('Register on a chain what file a model name is, for dispatchers that follow you.')
    .addCommand(set)
    .addCommand(listing)
    .addCommand(remove)
}
