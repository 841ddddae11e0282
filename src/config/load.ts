/** Configuration from its four sources: defaults < file < environment < flags (D39). */
import fs from 'node:fs'
import { parse, TomlError } from 'smol-toml'
import { codeOf, messageOf, UserError } from '../base/errors.ts'
import { environmentName, ValueError, type ConfigOf, type KeyTable } from './key.ts'

/** The leaves of a parsed TOML document by dotted name. */
function flatten(value: object, prefix = ''): Map<string, unknown> {
  const out = new Map<string, unknown>()
  for (const [name, item] of Object.entries(value)) {
    if (
      typeof item === 'object' &&
      item !== null &&
      !Array.isArray(item) &&
      !(item instanceof Date)
    )
      for (const [inner, leaf] of flatten(item, `${prefix}${name}.`)) out.set(inner, leaf)
    else out.set(`${prefix}${name}`, item)
  }
  return out
}

function readFile(file: string): Map<string, unknown> {
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return new Map()
    throw new UserError(`${file} can't be read: ${messageOf(error)}`)
  }
  try {
    return flatten(parse(text))
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new UserError(
      `${file} is not valid TOML (line ${error.line}, column ${error.column})`,
      'Correct that line. Strings need double quotes.',
    )
  }
}

/** The known name that is closest to a misspelt one, for the error message. */
function nearest(name: string, names: readonly string[]): string {
  const score = (other: string) => {
    const pairs = new Set<string>()
    for (let i = 0; i + 1 < other.length; i++) pairs.add(other.slice(i, i + 2))
    let hits = 0
    for (let i = 0; i + 1 < name.length; i++) if (pairs.has(name.slice(i, i + 2))) hits++
    return hits / (name.length + other.length)
  }
  return names.toSorted((a, b) => score(b) - score(a))[0] ?? ''
}

/**
 * Reads a table's values. Every problem is reported at once, in one UserError that lists key, source and expectation.
 * Keys of `otherTables` may be in the same file and are ignored.
 */
export function loadConfig<Table extends KeyTable>(
  table: Table,
  sources: {
    readonly file: string
    readonly environment: Readonly<Record<string, string | undefined>>
    readonly flags: Readonly<Record<string, unknown>>
    readonly otherTables?: readonly KeyTable[]
  },
): ConfigOf<Table> {
  const fromFile = readFile(sources.file)
  const problems: string[] = []
  const known = [table, ...(sources.otherTables ?? [])].flatMap((each) => Object.keys(each))
  for (const name of fromFile.keys())
    if (!known.includes(name))
      problems.push(
        `${sources.file}: unknown key "${name}" (did you mean "${nearest(name, known)}"?)`,
      )

  const values: Record<string, unknown> = {}
  for (const [name, key] of Object.entries(table)) {
    const variable = environmentName(name)
    const [place, raw] =
      sources.flags[name] !== undefined
        ? [`--${name}`, sources.flags[name]]
        : sources.environment[variable] !== undefined
          ? [variable, sources.environment[variable]]
          : fromFile.has(name)
            ? [`${sources.file}: ${name}`, fromFile.get(name)]
            : ['', key.default]
    try {
      values[name] = key.type.parse(raw)
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      problems.push(`${place}: ${error.message}`)
    }
  }
  if (problems.length > 0)
    throw new UserError(
      problems.join('\n'),
      'Correct these settings. docs/config.md describes every key.',
    )
  return values as ConfigOf<Table>
}
