/** `assay dispatcher model set`: registers what file a name is (D143). */
import type { Command } from 'commander'
import { UserError } from '../../../base/errors.ts'
import { isModelName, MODEL_REFERENCE_HINT } from '../../../base/modelName.ts'
import type { DispatcherSql } from '../../../jobs/dispatcher/tables.ts'
import type { KnownModel } from '../../../jobs/otherFile.ts'
import { addIdentityOptions, readIdentity, type IdentityFlags } from '../../model/identityFlags.ts'
import { plain } from '../../plain.ts'
import { registryModelCommand } from './registryCommand.ts'

type Flags = IdentityFlags & { readonly served?: true }

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
  const given = await readIdentity(flags)
  if ((given === undefined) !== (flags.served === true))
    throw new UserError('pass one of --file, --sha256 and --served')
  return given ?? ofOperators(sql, name)
}

/** The command. */
export function setRegisteredCommand(): Command {
  const command = registryModelCommand('set', async (sql, command) => {
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
  return addIdentityOptions(command).option(
    '--served',
    'or the file that all connected operators serve under it now',
  )
}
