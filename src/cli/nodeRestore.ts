/** `assay node restore`: a home from a backup. */
import path from 'node:path'
import { Command } from 'commander'
import { UserError } from '../base/errors.ts'
import { tryFromAnyHex } from '../base/hex.ts'
import { homePaths } from '../config/home.ts'
import type { GivenKey } from '../node/backup/restoreKey.ts'
import { showProgress } from './nodeBackup.ts'
import { addHomeOption } from './options.ts'

type Options = {
  height?: string
  trustedHash?: string
  validatorKey?: string
  signState?: string
  unsafeSignAgain?: boolean
}

function heightOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const height = Number(text)
  if (Number.isSafeInteger(height) && height >= 0) return height
  throw new UserError(`--height: expected a height, not ${JSON.stringify(text)}`)
}

function hashOf(text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined
  const hash = tryFromAnyHex(text)
  if (hash?.length === 32) return hash
  throw new UserError('--trusted-hash: expected 64 hex digits')
}

/** The key to restore with; none unless it is named together with what it signed last. */
function keyOf({ validatorKey, signState, unsafeSignAgain }: Options): GivenKey | undefined {
  const isAgain = unsafeSignAgain === true
  if (validatorKey === undefined) {
    if (signState === undefined && !isAgain) return undefined
    throw new UserError('--sign-state and --unsafe-sign-again belong to a --validator-key')
  }
  if (signState !== undefined && isAgain)
    throw new UserError('--sign-state and --unsafe-sign-again exclude each other')
  const keyFile = path.resolve(validatorKey)
  if (signState !== undefined) return { keyFile, signState: path.resolve(signState) }
  if (isAgain) return { keyFile, signState: undefined }
  throw new UserError(
    '--validator-key requires --sign-state: without it the validator could sign a height twice',
    'Give priv_validator_state.json of the validator as it was when it stopped.',
  )
}

/** The command. */
export function nodeRestoreCommand(): Command {
  return addHomeOption(new Command('restore'))
    .description(
      'Make a home from a backup of its chain, and check everything in it. It gets no validator key unless one is given.',
    )
    .argument('<folder>', 'folder of the backups')
    .option('--height <height>', 'height of the backup (default: the latest one)')
    .option('--trusted-hash <hash>', 'hash that the signed header of the backup must have')
    .option('--validator-key <file>', 'priv_validator_key.json to restore with')
    .option('--sign-state <file>', 'its latest priv_validator_state.json')
    .option(
      '--unsafe-sign-again',
      'instead of --sign-state: sign from the height of the backup on. If the validator signed later blocks and anybody has them, it signs twice, and can be slashed',
    )
    .action(async (folder: string, options: Options, command: Command) => {
      const home = homePaths(path.resolve(command.optsWithGlobals<{ home: string }>().home))
      const { restoreHome } = await import('../node/backup/restore.ts')
      const { onProgress, end } = showProgress()
      const key = keyOf(options)
      const { height, signed, engine } = await restoreHome({
        home,
        folder: path.resolve(folder),
        height: heightOf(options.height),
        trustedHash: hashOf(options.trustedHash),
        key,
        onProgress,
      }).finally(end)
      process.stdout.write(
        `Restored the state of height ${height}, proven by header ${signed.height} ${signed.hash}.\n`,
      )
      if (key === undefined && engine === 'embedded')
        process.stdout.write(
          'The home has no validator key: its node starts once config/priv_validator_key.json and data/priv_validator_state.json of the validator are there.\n',
        )
    })
}
