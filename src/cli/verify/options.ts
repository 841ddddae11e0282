/** The flags that all `assay verify` commands share. */
import type { Command } from 'commander'
import { UserError } from '../../base/errors.ts'
import { tryFromAnyHex } from '../../base/hex.ts'
import { ValueError, type ValueType } from '../../config/key.ts'
import { duration, integer } from '../../config/types.ts'
import { urlOf } from '../../config/url.ts'
import { DEFAULT_LIGHT_OPTIONS, type Fraction } from '../../proof/comet/light/types.ts'
import { checkTrustLevel } from '../../proof/comet/light/verifyTrusting.ts'
import { addHomeOption, readOption } from '../options.ts'

const SECOND_MS = 1000
const YEAR_MS = 366 * 24 * 3_600_000
const NS_PER_MS = 1_000_000n

type Flags = {
  readonly home: string
  readonly rpc: string
  readonly jsonRpc: string
  readonly witness?: readonly string[]
  readonly trustedHeight?: string
  readonly trustedHash?: string
  readonly trustingPeriod: string
  readonly trustLevel: string
  readonly sequential?: true
  readonly timeout: string
  readonly json?: true
}

/** The starting point of a verification. */
export type VerifyOptions = {
  readonly home: string
  readonly rpc: URL
  readonly jsonRpc: URL
  readonly witnesses: readonly URL[]
  /** Undefined means the genesis of the home. */
  readonly trusted: { readonly height: number; readonly hash: Uint8Array } | undefined
  readonly trustingPeriodNs: bigint
  readonly trustLevel: Fraction
  readonly mode: 'skipping' | 'sequential'
  readonly timeoutMs: number
  readonly json: boolean
}

/** Adds the flags. */
export function addVerifyOptions(command: Command): Command {
  const periodHours = DEFAULT_LIGHT_OPTIONS.trustingPeriodNs / NS_PER_MS / 3_600_000n
  return addHomeOption(command)
    .option('--rpc <url>', 'consensus RPC to query', 'http://127.0.0.1:26657')
    .option('--json-rpc <url>', 'Ethereum JSON-RPC to query', 'http://127.0.0.1:8545')
    .option('--witness <url...>', 'other consensus RPCs, which must serve the same headers')
    .option('--trusted-height <height>', 'height of a header you trust')
    .option(
      '--trusted-hash <hash>',
      'hash of that header (default: trust genesis.json of the home folder)',
    )
    .option('--trusting-period <duration>', 'how long a header stays trusted', `${periodHours}h`)
    .option('--trust-level <fraction>', 'share of the trusted voting power that must sign', '1/3')
    .option('--sequential', 'verify every header in between')
    .option('--timeout <duration>', 'timeout of the whole verification', '60s')
    .option('--json', 'print one JSON object')
}

const httpUrl: ValueType<URL> = {
  expects: 'a URL, "http://host:port"',
  parse(raw) {
    const url = typeof raw === 'string' ? urlOf(raw, ['http:', 'https:']) : undefined
    if (url === undefined || url.username !== '' || url.password !== '')
      throw new ValueError('expected a URL such as "http://host:port", without a password')
    return url
  },
}

/** A 32-byte hash in hexadecimal, with or without 0x. */
export const hashText: ValueType<Uint8Array> = {
  expects: 'a hash of 64 hexadecimal digits',
  parse(raw) {
    const bytes = typeof raw === 'string' ? tryFromAnyHex(raw) : undefined
    if (bytes?.length !== 32) throw new ValueError('expected 64 hexadecimal digits')
    return bytes
  },
}

/** A height of a block, as a flag or an argument. */
export const heightNumber = integer(1, Number.MAX_SAFE_INTEGER)

const fraction: ValueType<Fraction> = {
  expects: 'a fraction from 1/3 to 1, "2/3"',
  parse(raw) {
    const match = typeof raw === 'string' ? /^(\d{1,9})\/(\d{1,9})$/.exec(raw) : null
    const level = { numerator: BigInt(match?.[1] ?? 0), denominator: BigInt(match?.[2] ?? 0) }
    try {
      checkTrustLevel(level)
      return level
    } catch {
      throw new ValueError('expected a fraction from 1/3 to 1, such as "2/3"')
    }
  },
}

function trustedOf({ trustedHeight, trustedHash }: Flags): VerifyOptions['trusted'] {
  if (trustedHeight === undefined && trustedHash === undefined) return undefined
  if (trustedHeight === undefined || trustedHash === undefined)
    throw new UserError('--trusted-height and --trusted-hash must be given together')
  return {
    height: readOption('--trusted-height', heightNumber, trustedHeight),
    hash: readOption('--trusted-hash', hashText, trustedHash),
  }
}

/** Reads the flags. Throws UserError. */
export function readVerifyOptions(command: Command): VerifyOptions {
  const flags = command.opts<Flags>()
  const period = duration(SECOND_MS, 20 * YEAR_MS)
  return {
    home: flags.home,
    rpc: readOption('--rpc', httpUrl, flags.rpc),
    jsonRpc: readOption('--json-rpc', httpUrl, flags.jsonRpc),
    witnesses: (flags.witness ?? []).map((url) => readOption('--witness', httpUrl, url)),
    trusted: trustedOf(flags),
    trustingPeriodNs:
      BigInt(readOption('--trusting-period', period, flags.trustingPeriod)) * NS_PER_MS,
    trustLevel: readOption('--trust-level', fraction, flags.trustLevel),
    mode: flags.sequential === true ? 'sequential' : 'skipping',
    timeoutMs: readOption('--timeout', duration(SECOND_MS, YEAR_MS), flags.timeout),
    json: flags.json === true,
  }
}
