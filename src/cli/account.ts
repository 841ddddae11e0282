/** `assay account`: the keys of a home, in the format of go-ethereum (Web3 Secret Storage, version 3). */
import fs from 'node:fs'
import { Command } from 'commander'
import { AccountError } from '../accounts/errors.ts'
import { decryptKeyFile, parseKeyFile } from '../accounts/keyFile.ts'
import { openKeystore, type Keystore } from '../accounts/keystore.ts'
import { toChecksumAddress } from '../base/checksumAddress.ts'
import { messageOf, UserError } from '../base/errors.ts'
import { toHex, tryFromAnyHex } from '../base/hex.ts'
import { generatePrivateKey } from '../base/privateKey.ts'
import { homePaths } from '../config/home.ts'
import { addHomeOption } from './options.ts'
import { readPassphrase } from './passphrase.ts'

type Options = {
  readonly home: string
  readonly light?: boolean
  readonly passwordFile?: string
  readonly filePasswordFile?: string
  readonly privateKey?: boolean
}

function keystoreOf({ home, light }: Options): Keystore {
  return openKeystore(homePaths(home).keystore, light === true ? 'light' : 'standard')
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Runs work on the key store; problems with a key are reported as the user's to fix. */
async function orUserError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof AccountError ? new UserError(error.message) : error
  }
}

async function storeKey(key: Uint8Array, options: Options): Promise<void> {
  const keystore = keystoreOf(options)
  const prompt = 'Passphrase of the new key file: '
  const passphrase = await readPassphrase({ ...options, isNew: true, prompt })
  const address = await orUserError(keystore.add(key, passphrase)).finally(() => key.fill(0))
  print(toChecksumAddress(address))
}

/** The private key in a file: 64 hex digits, or a key file under a passphrase. */
async function readKey(file: string, options: Options): Promise<Uint8Array> {
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new UserError(messageOf(error))
  }
  const raw = tryFromAnyHex(text.trim())
  if (raw?.length === 32) return raw
  const keyFile = parseKeyFile(text)
  if (keyFile === undefined)
    throw new UserError(
      `${file} does not contain a key`,
      'Expected 64 hex digits or a version 3 key file.',
    )
  const passphrase = await readPassphrase({
    passwordFile: options.filePasswordFile,
    prompt: `Passphrase of ${file}: `,
  })
  return await orUserError(decryptKeyFile(keyFile, passphrase))
}

function addressArgument(text: string): Uint8Array {
  const address = tryFromAnyHex(text)
  if (address?.length === 20) return address
  throw new UserError(`"${text}" is not an address`, 'Write 0x and 40 hex digits.')
}

const PASSWORD_FILE = ['--password-file <file>', 'file whose first line is the passphrase'] as const
const LIGHT = ['--light', 'encrypt with light scrypt parameters, for development only'] as const

function newCommand(): Command {
  return addHomeOption(new Command('new'))
    .description('Create a key, store it encrypted, and print its address.')
    .option(...PASSWORD_FILE)
    .option(...LIGHT)
    .action((options: Options) => storeKey(generatePrivateKey(), options))
}

function listCommand(): Command {
  return addHomeOption(new Command('list'))
    .description('Print the addresses of all keys, in order of creation.')
    .action((options: Options) => {
      for (const address of keystoreOf(options).list()) print(toChecksumAddress(address))
    })
}

function importCommand(): Command {
  return addHomeOption(new Command('import'))
    .description('Import a key from a file: 64 hex digits or a version 3 key file.')
    .argument('<file>', 'file that contains the key')
    .option(...PASSWORD_FILE)
    .option(
      '--file-password-file <file>',
      'file whose first line is the passphrase of the imported key file',
    )
    .option(...LIGHT)
    .action(async (file: string, options: Options) =>
      storeKey(await readKey(file, options), options),
    )
}

function exportCommand(): Command {
  return addHomeOption(new Command('export'))
    .description('Print the encrypted key file of an account.')
    .argument('<address>', 'address of the account')
    .option('--private-key', 'print the private key instead; asks for the passphrase')
    .option(...PASSWORD_FILE)
    .action(async (text: string, options: Options) => {
      const address = addressArgument(text)
      const keystore = keystoreOf(options)
      if (options.privateKey !== true) {
        const keyFile = keystore.keyFileText(address)
        if (keyFile === undefined) throw new UserError(new AccountError('unknown').message)
        return print(keyFile.trim())
      }
      const passphrase = await readPassphrase(options)
      const key = await orUserError(keystore.decrypt(address, passphrase))
      print(toHex(key))
      key.fill(0)
    })
}

/** The command. */
export function accountCommand(): Command {
  return new Command('account')
    .description('Manage the keys of a home folder, in the format of go-ethereum.')
    .addCommand(newCommand())
    .addCommand(listCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand())
}
