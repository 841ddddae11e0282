/** Flags of a command, generated from configuration tables. */
import { Option, type Command } from 'commander'
import { defaultHome } from '../base/defaultHome.ts'
import { UserError } from '../base/errors.ts'
import type { TracingConfig } from '../base/tracing/settings.ts'
import { dispatcherKeys } from '../config/dispatcher.ts'
import type { Home } from '../config/home.ts'
import { environmentName, ValueError, type KeyTable, type ValueType } from '../config/key.ts'
import { loadConfig } from '../config/load.ts'
import { nodeKeys } from '../config/node.ts'
import { FLAG_PLACEHOLDER } from '../config/types.ts'

/** Adds `--home`. */
export function addHomeOption(command: Command): Command {
  return command.option(
    '--home <folder>',
    'home folder, which contains everything (or ASSAY_HOME)',
    process.env['ASSAY_HOME'] ?? defaultHome(),
  )
}

/**
 * Adds one flag per key, named like the key and shown under its section. Flags take strings; the configuration loader
 * parses and validates them. A boolean flag without a value is true.
 */
export function addKeyOptions(command: Command, ...tables: readonly KeyTable[]): Command {
  for (const [name, { type, default: value, help }] of tables.flatMap((table) =>
    Object.entries(table),
  )) {
    const shown = Array.isArray(value) ? value.join(', ') : String(value)
    const { placeholder = 'value' } = type
    const given = placeholder === FLAG_PLACEHOLDER ? `[${placeholder}]` : `<${placeholder}>`
    const text = `${help} (default: ${shown === '' ? 'none' : shown})`
    const option = new Option(`--${name} ${given}`, text)
    const dot = name.indexOf('.')
    if (dot > 0) option.helpGroup(`Options of ${name.slice(0, dot)}:`)
    command.addOption(option)
  }
  if (tables.some((table) => 'dev.enable' in table)) command.option('--dev', 'same as --dev.enable')
  const [example = ''] = Object.keys(tables[0] ?? {})
  return command.addHelpText(
    'after',
    `\nEach option is also a key of <home>/config/assay.toml and an environment variable: --${example} is ${environmentName(example)}.`,
  )
}

/** The values of a command's flags under their keys' names. */
export function flagsOf(command: Command, ...tables: readonly KeyTable[]): Record<string, unknown> {
  const values: Record<string, unknown> = command.opts()
  const out: Record<string, unknown> = values['dev'] === true ? { 'dev.enable': true } : {}
  for (const option of command.options) {
    const name = option.long?.slice(2) ?? ''
    const value = values[option.attributeName()]
    if (value !== undefined && tables.some((table) => name in table)) out[name] = value
  }
  return out
}

/** The value of a flag that is not a configuration key. Throws UserError with its name and what was expected. */
export function readOption<T>(flag: string, type: ValueType<T>, text: string): T {
  try {
    return type.parse(text)
  } catch (error) {
    throw error instanceof ValueError ? new UserError(`${flag}: ${error.message}`) : error
  }
}

function nodeSettings<T extends KeyTable>(home: Home, table: T) {
  return loadConfig(table, {
    file: home.configFile,
    environment: process.env,
    flags: {},
    otherTables: [nodeKeys, dispatcherKeys],
  })
}

/** `log.level` of a home, for programs that need no other configuration key of the node. Throws UserError. */
export function logLevelOf(home: Home): string {
  return nodeSettings(home, { 'log.level': nodeKeys['log.level'] })['log.level']
}

/** Where the programs of a home send traces. Throws UserError. */
export function tracingOf(home: Home): TracingConfig {
  const settings = nodeSettings(home, {
    'otel.endpoint': nodeKeys['otel.endpoint'],
    'otel.sampling': nodeKeys['otel.sampling'],
  })
  return { endpoint: settings['otel.endpoint'], ratio: settings['otel.sampling'] }
}
