/** Flags that say what a model is: by its file, or by hashes. */
import type { Command } from 'commander'
import { messageOf, UserError } from '../../base/errors.ts'
import { toHex } from '../../base/hex.ts'
import type { KnownModel } from '../../jobs/otherFile.ts'
import { readOption } from '../options.ts'
import { hashText } from '../verify/options.ts'

export type IdentityFlags = {
  readonly file?: string
  readonly sha256?: string
  readonly modelRoot?: string
  readonly templateHash?: string
  readonly tokenListHash?: string
}

/** Adds `--file`, `--sha256` and what belongs to it. */
export function addIdentityOptions(command: Command): Command {
  return command
    .option('--file <file>', 'the GGUF file')
    .option('--sha256 <hash>', 'or its SHA-256')
    .option('--model-root <hash>', 'with --sha256: root over its weights')
    .option('--template-hash <hash>', 'with --sha256: SHA-256 of its chat template')
    .option('--token-list-hash <hash>', 'with --sha256: hash of its token list')
}

/** What a GGUF file is. */
async function ofFile(file: string): Promise<KnownModel> {
  const { identifyModel } = await import('../../inference/modelIdentity.ts')
  const { describeModel } = await import('./describe.ts')
  const { sha256 } = await describeModel(file)
  try {
    return await identifyModel({ name: file, path: file, sha256 })
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${messageOf(error)}`)
  }
}

/** The model of `--file` or `--sha256`; undefined without either. Throws UserError. */
export async function readIdentity(flags: IdentityFlags): Promise<KnownModel | undefined> {
  const { file, sha256 } = flags
  if (file !== undefined && sha256 !== undefined)
    throw new UserError('pass one of --file and --sha256')
  if (file !== undefined) return ofFile(file)
  if (sha256 === undefined) return undefined
  const hash = (flag: string, text: string | undefined): string | undefined =>
    text === undefined ? undefined : toHex(readOption(flag, hashText, text))
  return {
    sha256: toHex(readOption('--sha256', hashText, sha256)),
    modelRoot: hash('--model-root', flags.modelRoot),
    templateHash: hash('--template-hash', flags.templateHash),
    tokenListHash: hash('--token-list-hash', flags.tokenListHash),
  }
}
