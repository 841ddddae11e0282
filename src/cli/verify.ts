/** `assay verify`: proofs from untrusted servers, against a trusted header. */
import { Command } from 'commander'
import { bigintToFixedBytes } from '../base/bytes.ts'
import { UserError } from '../base/errors.ts'
import { tryFromHex } from '../base/hex.ts'
import { readOption } from './options.ts'
import { addVerifyOptions, hashText, heightNumber, readVerifyOptions } from './verify/options.ts'
import type { Question } from './verify/run.ts'

async function run(command: Command, question: Question): Promise<void> {
  const options = readVerifyOptions(command)
  // Loaded lazily, so that other commands start without it.
  const { runVerification } = await import('./verify/run.ts')
  await runVerification(options, question)
}

function addressOf(text: string): Uint8Array {
  const address = tryFromHex(text)
  if (address?.length !== 20)
    throw new UserError(
      `"${text}" is not an address`,
      'An address is 0x and 40 hexadecimal digits.',
    )
  return address
}

function slotOf(text: string): Uint8Array {
  const slot = /^(?:0x[0-9a-fA-F]{1,64}|\d{1,78})$/.test(text) ? BigInt(text) : undefined
  if (slot === undefined || slot >= 1n << 256n)
    throw new UserError(
      `--slot: "${text}" is not a storage slot`,
      'A slot is a number such as 3 or 0x3.',
    )
  return bigintToFixedBytes(slot, 32)
}

type AccountFlags = { readonly slot?: readonly string[]; readonly height?: string }

function accountCommand(): Command {
  return addVerifyOptions(new Command('account'))
    .description('Verify nonce, balance, code hash and storage of an account.')
    .argument('<address>', 'address of the account')
    .option('--slot <slot...>', 'storage slots to prove too')
    .option('--height <height>', 'state after this block (default: the latest provable one)')
    .action((text: string, { slot = [], height }: AccountFlags, command: Command) =>
      run(command, {
        kind: 'account',
        address: addressOf(text),
        slots: slot.map(slotOf),
        height: height === undefined ? undefined : readOption('--height', heightNumber, height),
      }),
    )
}

function hashCommand(kind: 'tx' | 'receipt', description: string): Command {
  return addVerifyOptions(new Command(kind))
    .description(description)
    .argument('<hash>', 'hash of the transaction, from Ethereum or the consensus engine')
    .action((text: string, _flags: unknown, command: Command) =>
      run(command, { kind, hash: readOption('<hash>', hashText, text) }),
    )
}

function headerCommand(): Command {
  return addVerifyOptions(new Command('header'))
    .description('Verify the header at a height.')
    .argument('[height]', 'height (default: the latest)')
    .action((text: string | undefined, _flags: unknown, command: Command) => {
      const height = text === undefined ? 'latest' : readOption('<height>', heightNumber, text)
      return run(command, { kind: 'header', height })
    })
}

/** The command. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('Verify what a chain contains, trusting one header and no server.')
    .addCommand(accountCommand())
    .addCommand(hashCommand('tx', 'Verify that a block contains a transaction.'))
    .addCommand(hashCommand('receipt', 'Verify the receipt of a transaction.'))
    .addCommand(headerCommand())
}
