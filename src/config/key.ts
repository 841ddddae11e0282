/**
 * Configuration keys: one table per program, one entry per key. File, environment variable, flag, help text and
 * documentation derive from the entry.
 */

/** A value that failed to parse; the message says what was expected. */
export class ValueError extends Error {
  override readonly name = 'ValueError'
}

/** How a value is parsed from a string (environment, flag) or from TOML. `expects` completes "expected …". */
export type ValueType<T> = {
  readonly expects: string
  /** Placeholder for a value in help texts ("host:port"); "value" when absent. */
  readonly placeholder?: string
  /** Throws ValueError. `raw` is a string, number, boolean or array from TOML, or a string from elsewhere. */
  parse(raw: unknown): T
}

/** One key. `default` is in the format of the file. */
export type Key<T> = {
  readonly type: ValueType<T>
  readonly default: string | number | boolean | readonly string[]
  readonly help: string
}

/** Keys by their dotted name ("json-rpc.address"). */
export type KeyTable = Readonly<Record<string, Key<unknown>>>

/** The values of a table. */
export type ConfigOf<Table extends KeyTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Key<infer T> ? T : never
}

/** Declares a key, so that its value type is inferred. */
export function key<T>(type: ValueType<T>, defaultValue: Key<T>['default'], help: string): Key<T> {
  return { type, default: defaultValue, help }
}

/** The environment variable of a key: "json-rpc.ws-address" is ASSAY_JSON_RPC_WS_ADDRESS. */
export function environmentName(name: string): string {
  return `ASSAY_${name.replaceAll(/[.-]/g, '_').toUpperCase()}`
}
