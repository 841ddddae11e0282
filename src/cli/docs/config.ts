/** docs/config.md: every configuration key. */
import { dispatcherKeys } from '../../config/dispatcher.ts'
import { environmentName, type KeyTable } from '../../config/key.ts'
import { nodeKeys } from '../../config/node.ts'
import { optionalOperatorKeys, requiredOperatorKeys } from '../../config/operatorKeys.ts'
import { page, table } from './markdown.ts'

function keys(keyTable: KeyTable, withEnvironment: boolean): string[] {
  return table(
    ['key', 'default', 'expects', 'meaning', ...(withEnvironment ? ['environment'] : [])],
    Object.entries(keyTable).map(([name, { type, default: value, help }]) => [
      `\`${name}\``,
      `\`${JSON.stringify(value)}\``,
      type.expects,
      help,
      ...(withEnvironment ? [`\`${environmentName(name)}\``] : []),
    ]),
  )
}

/** Defaults below the user's home folder, written with ~: the folder depends on the user, the reference must not. */
function withoutHome(keyTable: KeyTable): KeyTable {
  const home = process.env['HOME'] ?? ''
  return Object.fromEntries(
    Object.entries(keyTable).map(([name, key]) => {
      const { default: value } = key
      const shown = typeof value === 'string' && home !== '' ? value.replace(home, '~') : value
      return [name, { ...key, default: shown }]
    }),
  )
}

/** The page. */
export function configPage(): string {
  return page(
    'Settings',
    'Precedence: defaults < `config/assay.toml` < environment variables < flags. Each key is also a flag: `--json-rpc.address 127.0.0.1:9545`. Unknown keys and invalid values are errors at startup.',
    '## Node',
    keys(nodeKeys, true),
    '## Dispatcher',
    keys(dispatcherKeys, true),
    '`ASSAY_PROJECT` and `ASSAY_PROJECT_TOKEN` set the id and token of the first project.',
    '## Operator',
    'Read by `assay operator -c FILE` from a YAML or TOML file, flat or grouped in the sections `db`, `net`, `node` and `chain`. These seven keys are required:',
    keys(requiredOperatorKeys, false),
    'These are optional:',
    keys(withoutHome(optionalOperatorKeys), false),
  )
}
