/** `assay node prove-key`: proves to the staking contract that an operator has this home's consensus key (D83). */
import { Command } from 'commander'
import { toHex } from '../base/hex.ts'
import { parseChainId } from '../chain/chainId.ts'
import { keyProofMessage } from '../chain/staking/keyProof.ts'
import { address } from '../config/hexTypes.ts'
import { loadGenesis } from '../consensus/files/genesis.ts'
import { loadValidatorKey } from '../consensus/files/keys.ts'
import { addHomeOption, readOption } from './options.ts'
import { homeOf } from './stoppedNode.ts'

/** The command. */
export function nodeProveKeyCommand(): Command {
  return addHomeOption(new Command('prove-key'))
    .description(
      "Print what proves that an operator has this home's consensus key: the key and its signature, the arguments of the staking contract's proveKey.",
    )
    .argument('<operator>', 'address of the account that will send the transaction')
    .option('--key <file>', "another key than the home's, such as one from assay node new-key")
    .action((text: string, { key }: { readonly key?: string }, command: Command) => {
      const home = homeOf(command)
      const operator = readOption('<operator>', address, text)
      const { eip155 } = parseChainId(loadGenesis(home.genesis).genesis.chainId)
      const { signer } = loadValidatorKey(key ?? home.validatorKey)
      const signature = signer.sign(keyProofMessage(eip155, operator))
      const words = [signer.publicKey, signature.subarray(0, 32), signature.subarray(32)]
      process.stdout.write(`${words.map(toHex).join(' ')}\n`)
    })
}
