/** Types of configuration values. */
import type { ListenAddress } from '../base/listen.ts'
import { ValueError, type ValueType } from './key.ts'

function valueType<T>(
  placeholder: string,
  expects: string,
  read: (raw: unknown) => T | undefined,
): ValueType<T> {
  return {
    placeholder,
    expects,
    parse(raw) {
      const value = read(raw)
      if (value === undefined)
        throw new ValueError(`expected ${expects}, got ${JSON.stringify(raw)}`)
      return value
    },
  }
}

/** Any string. */
export const text: ValueType<string> = valueType('text', 'a string', (raw) =>
  typeof raw === 'string' ? raw : undefined,
)

/** Placeholder for a value of `flag` in help texts. */
export const FLAG_PLACEHOLDER = 'true|false'

/** true or false. */
export const flag: ValueType<boolean> = valueType(FLAG_PLACEHOLDER, 'true or false', (raw) => {
  if (typeof raw === 'boolean') return raw
  return raw === 'true' ? true : raw === 'false' ? false : undefined
})

/** An integer within bounds. */
export function integer(min: number, max: number): ValueType<number> {
  return valueType('number', `an integer from ${min} to ${max}`, (raw) => {
    const value = typeof raw === 'string' && /^-?\d+$/.test(raw) ? Number(raw) : raw
    return Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
      ? Number(value)
      : undefined
  })
}

/** A share of a whole: 0 is none, 1 is all. */
export const share: ValueType<number> = valueType('number', 'a number from 0 to 1', (raw) => {
  const value = typeof raw === 'string' && /^\d*\.?\d+$/.test(raw) ? Number(raw) : raw
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined
})

/** One of a few words. */
export function oneOf<const T extends string>(...words: readonly T[]): ValueType<T> {
  const expects = `one of ${words.map((word) => `"${word}"`).join(', ')}`
  return valueType(words.join('|'), expects, (raw) => words.find((word) => word === raw))
}

/** A list of strings: an array in the file, separated by commas elsewhere. */
export const texts: ValueType<readonly string[]> = valueType(
  'a,b,…',
  'a list of strings',
  (raw) => {
    const list: unknown = typeof raw === 'string' ? raw.split(',').map((part) => part.trim()) : raw
    if (!Array.isArray(list) || !list.every((part) => typeof part === 'string')) return undefined
    return list.filter((part) => part !== '')
  },
)

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** A duration ("20ms", "1s", "5m"), in milliseconds. */
export function duration(minMs: number, maxMs: number): ValueType<number> {
  const expects = `a duration such as "500ms" or "2s" (${minMs} to ${maxMs} ms)`
  return valueType('duration', expects, (raw) => {
    const match = typeof raw === 'string' ? /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(raw) : null
    if (match === null) return undefined
    const value = Math.round(Number(match[1]) * (UNITS[match[2] ?? ''] ?? Number.NaN))
    return value >= minMs && value <= maxMs ? value : undefined
  })
}

function readAddress(raw: unknown): ListenAddress | undefined {
  const match =
    typeof raw === 'string' ? /^(?:\[([0-9a-fA-F:]+)\]|([^:/\s]+)):(\d{1,5})$/.exec(raw) : null
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  return host !== undefined && port <= 65_535 ? { host, port } : undefined
}

/** "host:port"; port 0 picks a free one. */
export const listenAddress: ValueType<ListenAddress> = valueType(
  'host:port',
  'host:port, for example "127.0.0.1:8545"',
  readAddress,
)

/** "host:port"; undefined for "off" or an empty string. */
export const optionalListenAddress: ValueType<ListenAddress | undefined> = {
  placeholder: 'host:port|off',
  expects: `${listenAddress.expects}, or "off"`,
  parse(raw) {
    if (raw === '' || raw === 'off') return undefined
    const address = readAddress(raw)
    if (address !== undefined) return address
    throw new ValueError(`expected ${optionalListenAddress.expects}, got ${JSON.stringify(raw)}`)
  },
}

/** "tcp://host:port", CometBFT's format. */
export const tcpAddress: ValueType<ListenAddress> = valueType(
  'tcp://host:port',
  'tcp://host:port, for example "tcp://127.0.0.1:26657"',
  (raw) =>
    typeof raw === 'string' && raw.startsWith('tcp://') ? readAddress(raw.slice(6)) : undefined,
)

/** The same type, or an empty string for undefined. */
export function orNothing<T>(type: ValueType<T>): ValueType<T | undefined> {
  return {
    ...type,
    expects: `${type.expects}, or empty`,
    parse: (raw) => (raw === '' ? undefined : type.parse(raw)),
  }
}

/** "unix:///path" or "tcp://host:port". */
export const socketAddress: ValueType<ListenAddress | { readonly path: string }> = valueType(
  'address',
  'unix:///path or tcp://host:port',
  (raw) => {
    if (typeof raw !== 'string') return undefined
    if (raw.startsWith('unix:///')) return { path: raw.slice(7) }
    return raw.startsWith('tcp://') ? readAddress(raw.slice(6)) : undefined
  },
)

/** An amount in whole units of the chain's currency, with up to 18 decimals; converted to the smallest unit. */
export const wholeUnits: ValueType<bigint> = valueType(
  'amount',
  'an amount in whole units, for example 1 or 0.5',
  (raw) => {
    const match = /^(\d{1,12})(?:\.(\d{1,18}))?$/.exec(
      typeof raw === 'number' || typeof raw === 'string' ? String(raw) : '',
    )
    return match === null ? undefined : BigInt(`${match[1]}${(match[2] ?? '').padEnd(18, '0')}`)
  },
)

const MAX_WORD = 2n ** 256n - 1n

/**
 * "<n>aassay": a price in the smallest unit of the chain's currency (D48). The denomination may have any name. Every
 * number that
 * `miner_setGasPrice` accepts must be valid here, or it would write a file that the next start rejects.
 */
export const gasPrice: ValueType<bigint> = valueType(
  'price',
  'an amount with its denomination, for example "1000aassay"',
  (raw) => {
    const match = typeof raw === 'string' ? /^(\d{1,78})[a-z][a-z0-9]{2,30}$/.exec(raw) : null
    const price = match?.[1] === undefined ? undefined : BigInt(match[1])
    return price !== undefined && price <= MAX_WORD ? price : undefined
  },
)
