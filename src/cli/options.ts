/** Flags of a command, made from configuration tables. */
import { Option, type Command } from 'commander'
import { environmentName, type KeyTable } from '../config/key.ts'
import { defaultHome } from '../config/home.ts'

/** Adds `--home`. */
export function addHomeOption(command: Command): Command {
  return command.option(
    '--home <folder>',
    'folder that holds everything',
    process.env['ASSAY_HOME'] ?? defaultHome(),
  )
}

/** Adds one flag per key, named like the key. Flags take text; the configuration loader reads and checks it. */
export function addKeyOptions(command: Command, ...tables: readonly KeyTable[]): Command {
  for (const [name, key] of tables.flatMap((table) => Object.entries(table))) {
    const shown = Array.isArray(key.default) ? key.default.join(',') : String(key.default)
    const help = `${key.help} (default: ${shown === '' ? 'none' : shown}; ${environmentName(name)})`
    command.addOption(new Option(`--${name} <value>`, help))
  }
  return command
}

/** The values of a command's flags under their keys' names. */
export function flagsOf(command: Command, ...tables: readonly KeyTable[]): Record<string, unknown> {
  const values: Record<string, unknown> = command.opts()
  const out: Record<string, unknown> = {}
  for (const option of command.options) {
    const name = option.long?.slice(2) ?? ''
    const value = values[option.attributeName()]
    if (value !== undefined && tables.some((table) => name in table)) out[name] = value
  }
  return out
}
