/** `assay dispatcher model list`: registered names, and what connected operators serve. */
import type { Command } from 'commander'
import { columns } from '../../project/columns.ts'
import { plain } from '../../plain.ts'
import { registryModelCommand } from './registryCommand.ts'

/** The command. */
export function listRegisteredCommand(): Command {
  return registryModelCommand('list', async (sql) => {
    const { listRegistered } = await import('../../../jobs/dispatcher/identities/registry.ts')
    const { listModels } = await import('../../../jobs/dispatcher/identities/listModels.ts')
    const registered = await listRegistered(sql)
    const served = await listModels(sql)
    const names = new Set(registered.map(({ name }) => name))
    const operatorsOf = (name: string): string =>
      String(
        served
          .filter(({ model }) => model === name)
          .reduce((most, { operators }) => Math.max(most, operators), 0),
      )
    const rows = [
      ...registered.map(({ name, source, sha256 }) => [
        plain(name),
        source,
        operatorsOf(name),
        sha256,
      ]),
      ...served
        .filter(({ model }) => !names.has(model))
        .flatMap(({ model, operators, identities }) =>
          identities.length === 0
            ? [[plain(model), 'no', String(operators), '']]
            : identities.map((each) => [plain(model), 'no', String(each.operators), each.sha256]),
        ),
    ]
    const unique = [...new Map(rows.map((row) => [row.join('\n'), row])).values()]
    process.stdout.write(columns(['model', 'registered', 'operators', 'sha256'], unique))
  }).description('List registered names, and the files that operators serve under others.')
}
