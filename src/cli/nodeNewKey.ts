/** `assay node new-key`: a new consensus key, to rotate to or for a signer. */
import fs from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { UserError } from '../base/errors.ts'
import { toHex } from '../base/hex.ts'
import { createValidatorKey } from '../consensus/files/keys.ts'

/** The command. */
export function nodeNewKeyCommand(): Command {
  return new Command('new-key')
    .description(
      'Write a new consensus key to a file, and print its public key and consensus address. The node keeps its own key until you replace its priv_validator_key.json.',
    )
    .argument('<file>', 'file that does not exist yet')
    .action((text: string) => {
      const file = path.resolve(text)
      if (fs.existsSync(file))
        throw new UserError(
          `${file} exists already`,
          'A key is never overwritten: name a new file.',
        )
      const { signer, address } = createValidatorKey(file)
      process.stdout.write(`${toHex(signer.publicKey)} ${toHex(address)}\n`)
    })
}
