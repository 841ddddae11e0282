/** Reads an operator's configuration file (D33): YAML or TOML, keys flat or grouped in the sections db, net, node and chain. */
import fs from 'node:fs'
import path from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { equalBytes } from '../base/bytes.ts'
import { codeOf, messageOf, UserError } from '../base/errors.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { ValueError, type ConfigOf } from './key.ts'
import { OPERATOR_SECTIONS, operatorKeys, requiredOperatorKeys } from './operatorKeys.ts'

/** The values of every key. Addresses and keys are bytes, folders and files absolute paths, '' if not given. */
export type OperatorConfig = ConfigOf<typeof operatorKeys>

const PATH_KEYS = ['models_dir', 'worker_dir', 'worker_secret_file', 'llama_dir'] as const

/**
 * Loads a file. Relative paths in it start at its folder. Throws UserError that lists every problem with its key and
 * what was expected; the message never contains secret values.
 */
export function loadOperatorConfig(file: string): OperatorConfig {
  const problems: string[] = []
  const entries = collectEntries(parseFile(file), problems)
  const values: Record<string, unknown> = {}
  for (const [name, key] of Object.entries(operatorKeys)) {
    const isMissing = !entries.has(name)
    try {
      if (isMissing && name in requiredOperatorKeys)
        throw new ValueError(`missing, expected ${key.type.expects}`)
      values[name] = key.type.parse(isMissing ? key.default : entries.get(name))
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      problems.push(`${name}: ${error.message}`)
    }
  }
  if (problems.length === 0) checkTogether(values as OperatorConfig, problems)
  if (problems.length > 0)
    throw new UserError(
      problems.map((problem) => `${file}: ${problem}`).join('\n'),
      'Correct these keys. docs/config.md describes every key.',
    )
  for (const name of PATH_KEYS)
    if (values[name] !== '') values[name] = path.resolve(path.dirname(file), String(values[name]))
  return values as OperatorConfig
}

function checkTogether(config: OperatorConfig, problems: string[]): void {
  if (!equalBytes(config.vrf_key, config.signer_key))
    problems.push('vrf_key: expected the same key as signer_key')
  if (!equalBytes(addressOfPrivateKey(config.signer_key), config.node_id))
    problems.push('node_id: expected the address of signer_key')
  if (config.worker_url !== undefined && config.worker_secret_file === '')
    problems.push('worker_secret_file: missing, required with worker_url')
}

function parseFile(file: string): unknown {
  let source: string
  try {
    source = fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      throw new UserError(
        `${file} does not exist`,
        'Give the path of a configuration file: -c FILE.',
      )
    throw error
  }
  const isToml = file.endsWith('.toml') || (!/\.ya?ml$/.test(file) && looksLikeToml(source))
  try {
    // YAML would read unquoted hex digits as numbers and lose most of them; "failsafe" keeps every scalar a string.
    return isToml ? parseToml(source) : parseYaml(source, { schema: 'failsafe' })
  } catch (error) {
    // Beyond the first line a parser's message quotes the file, keys included.
    const reason = messageOf(error).split('\n')[0] ?? ''
    throw new UserError(`${file} is not valid ${isToml ? 'TOML' : 'YAML'}: ${reason}`)
  }
}

/** TOML if the first significant line is a section or an assignment. */
function looksLikeToml(source: string): boolean {
  const line = source.split('\n').find((each) => each.trim() !== '' && !each.trim().startsWith('#'))
  return line !== undefined && /^\s*(?:\[|[\w.-]+\s*=)/.test(line)
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  )
}

function collectEntries(document: unknown, problems: string[]): ReadonlyMap<string, unknown> {
  const entries = new Map<string, unknown>()
  const sections: readonly string[] = OPERATOR_SECTIONS
  const take = (table: Readonly<Record<string, unknown>>, prefix: string): void => {
    for (const [name, value] of Object.entries(table)) {
      if (prefix === '' && sections.includes(name) && isTable(value)) take(value, `${name}.`)
      else if (!Object.hasOwn(operatorKeys, name))
        problems.push(
          `${prefix}${name}: unknown key, expected one of ${Object.keys(operatorKeys).join(', ')}`,
        )
      else if (entries.has(name)) problems.push(`${prefix}${name}: set twice, expected once`)
      else entries.set(name, value)
    }
  }
  if (isTable(document)) take(document, '')
  else problems.push('expected keys with values')
  return entries
}
