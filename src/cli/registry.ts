/** `assay registry`: the contracts of the verification network on any EVM chain. */
import { Command } from 'commander'
import { fromHex, toHex } from '../base/hex.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import {
  addChainOption,
  addRegistryOption,
  chainOf,
  explained,
  keyOfFile,
  registryOf,
} from './registry/chainOptions.ts'
import { registryModelsCommand } from './registry/models.ts'

async function deploy(options: { rpcUrl: string; keyFile: string }): Promise<void> {
  const { chain, signal } = await chainOf(options)
  const { sendTransaction } = await import('../jobs/onchain/account.ts')
  const { JobReceipts, ModelRegistry, OperatorRegistry } = await import('../generated/contracts.ts')
  const key = keyOfFile(options.keyFile)
  process.stdout.write(`from        ${toHex(addressOfPrivateKey(key))}\n`)
  const create = async (name: string, contract: { readonly bytecode: string }) => {
    const sent = await sendTransaction(chain, key, { data: fromHex(contract.bytecode) }, signal)
    process.stdout.write(`${name.padEnd(12)}${sent.contractAddress}\n`)
  }
  await explained(async () => {
    await create('registry', OperatorRegistry)
    await create('receipts', JobReceipts)
    await create('models', ModelRegistry)
  })
  process.stdout.write(
    'Set these as dispatcher.registry-contract, dispatcher.receipts-contract and dispatcher.model-registry, and the first as registry_contract of operators.\n',
  )
}

async function list(options: { rpcUrl: string; contract: string }): Promise<void> {
  const { chain } = await chainOf(options)
  const { encodeCall, decodeInteger, decodeWords } = await import('../jobs/onchain/abi.ts')
  const { operatorRecord } = await import('../jobs/registry/registry.ts')
  const { columns } = await import('./project/columns.ts')
  const contract = registryOf(options)
  await explained(async () => {
    const count = decodeInteger(await chain.view(contract, encodeCall('getNumOperators()')))
    const rows: string[][] = []
    for (let at = 0n; at < count; at++) {
      const [word] = decodeWords(
        await chain.view(contract, encodeCall('operators(uint256)', at)),
        1,
      )
      const operator = (word as Uint8Array).subarray(12)
      const record = await operatorRecord(chain, contract, operator)
      if (record === undefined) continue
      const { start, end, types, stake, isActive } = record
      const range = `${start} to ${end}`
      rows.push([toHex(operator), range, types.join(' '), String(stake), isActive ? 'yes' : 'no'])
    }
    process.stdout.write(columns(['operator', 'range', 'types', 'stake', 'active'], rows))
  })
}

/** The command. */
export function registryCommand(): Command {
  const deployment = addChainOption(new Command('deploy'))
    .description('Deploy the OperatorRegistry and JobReceipts contracts to a chain.')
    .requiredOption(
      '--key-file <file>',
      'file with the private key of the deployer (64 hex digits)',
    )
    .action(deploy)
  const listing = addRegistryOption(addChainOption(new Command('list')))
    .description('List the operators in a registry.')
    .action(list)
  return new Command('registry')
    .description('Manage the contracts of the verification network on any EVM chain.')
    .addCommand(deployment)
    .addCommand(listing)
    .addCommand(registryModelsCommand())
}
