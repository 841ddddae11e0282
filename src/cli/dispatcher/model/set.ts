/** `assay dispatcher model set`: registers what file a name is (D143). */
import type { Command } from 'commander'
import { messageOf, UserError } from '../../../base/errors.ts'
import { toHex } from '../../../base/hex.ts'
import { isModelName, MODEL_REFERENCE_HINT } from '../../../base/modelName.ts'
import type { DispatcherSql } from '../../../jobs/dispatcher/tables.ts'
import type { KnownModel } from '../../../jobs/otherFile.ts'
import { readOption } from '../../options.ts'
import { plain } from '../../plain.ts'
import { hashText } from '../../verify/options.ts'
import { registryModelCommand } from './registryCommand.ts'

type Flags = {
  readonly file?: string
  readonly sha256?: string
  readonly served?: true
  readonly modelRoot?: string
  readonly templateHash?: string
  readonly tokenListHash?: string
}

/** What a GGUF file is. */
async function ofFile(file: string): Promise<KnownModel> {
  const { identifyModel } = await import('../../../inference/modelIdentity.ts')
  const { describeModel } = await import('../../model/describe.ts')
  const { sha256 } = await describeModel(file)
  try {
    return await identifyModel({ name: file, path: file, sha256 })
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${messageOf(error)}`)
  }
}

/** What connected operators say that a name is, where all say the same. */
async function ofOperators(sql: DispatcherSql, name: string): Promise<KnownModel> {
  const { listModels } = await import('../../../jobs/dispatcher/identities/listModels.ts')
  const entries = (await listModels(sql)).filter(({ model }) => model === name)
  const stated = entries.flatMap(({ identities }) => identities)
  const [first, ...others] = stated
  if (first === undefined)
    throw new UserError(
      `no connected operator says what file "${plain(name)}" is`,
      'Pass --file or --sha256.',
    )
  if (others.some(({ sha256 }) => sha256 !== first.sha256))
    throw new UserError(
      `operators serve different files as "${plain(name)}": ${[...new Set(stated.map(({ sha256 }) => sha256))].join(', ')}`,
      'Choose one: --sha256.',
    )
  return {
    sha256: first.sha256,
    modelRoot: first.model_root,
    templateHash: first.template_hash,
    tokenListHash: first.token_list_hash,
  }
}

async function modelOf(sql: DispatcherSql, name: string, flags: Flags): Promise<KnownModel> {
  const { file, sha256, served } = flags
  if ([file, sha256, served].filter((given) => given !== undefined).length !== 1)
    throw new UserError('pass one of --file, --sha256 and --served')
  if (file !== undefined) return ofFile(file)
  if (served === true) return ofOperators(sql, name)
  const hash = (flag: string, text: string | undefined): string | undefined =>
    text === undefined ? undefined : toHex(readOption(flag, hashText, text))
  return {
    sha256: hash('--sha256', sha256) ?? '',
    modelRoot: hash('--model-root', flags.modelRoot),
    templateHash: hash('--template-hash', flags.templateHash),
    tokenListHash: hash('--token-list-hash', flags.tokenListHash),
  }
}

/** The command. */
export function setRegisteredCommand(): Command {
  return registryModelCommand('set', async (sql, command) => {
    const { setModel } = await import('../../../jobs/dispatcher/identities/register.ts')
    const [name = ''] = command.args
    if (!isModelName(name))
      throw new UserError(
        `"${plain(name)}" cannot be registered`,
        `Pass ${MODEL_REFERENCE_HINT.replace(/, alone.*/, '')}, without a pin.`,
      )
    const model = await modelOf(sql, name, command.opts<Flags>())
    await setModel(sql, name, model)
    process.stdout.write(`${plain(name)} is ${model.sha256}\n`)
  })
    .description('Register a name for one file. Connected operators are judged at once.')
    .argument('<name>', 'name of the model')
    .option('--file <file>', 'the GGUF file')
    .option('--sha256 <hash>', 'or its SHA-256')
    .option('--model-root <hash>', 'with --sha256: root over its weights')
    .option('--template-hash <hash>', 'with --sha256: SHA-256 of its chat template')
    .option('--token-list-hash <hash>', 'with --sha256: hash of its token list')
    .option('--served', 'or the file that all connected operators serve under it now')
}
