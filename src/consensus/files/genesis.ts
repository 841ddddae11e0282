/**
 * genesis.json in CometBFT's format (D22): the validators, the consensus parameters, and the application's initial
 * state.
 */
import { z } from 'zod'
import { equalBytes, utf8 } from '../../base/bytes.ts'
import { UserError } from '../../base/errors.ts'
import { toUpperHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import {
  heightText,
  hexDigits,
  int64,
  publicKey,
  timeText,
} from '../../proof/comet/json/scalars.ts'
import { formatTime } from '../../proof/comet/time.ts'
import type { Validator } from '../../proof/comet/types.ts'
import { addressOfPublicKey, sortValidators } from '../../proof/comet/validators.ts'
import type { ConsensusParams } from '../application.ts'
import { parseJsonFile, readTextFile } from './jsonFile.ts'
import { publicKeyJson } from './keys.ts'

export type Genesis = {
  readonly timeNs: bigint
  readonly chainId: string
  readonly initialHeight: number
  readonly params: ConsensusParams
  /** In CometBFT's order, priority 0. */
  readonly validators: readonly Validator[]
  /** The application's expected first app hash; empty when InitChain decides. */
  readonly appHash: Uint8Array
  /** JSON text of `app_state` as UTF-8; empty when there is none. */
  readonly appState: Uint8Array
}

/** CometBFT v0.38's default consensus parameters. */
export const DEFAULT_PARAMS: ConsensusParams = {
  block: { maxBytes: 22_020_096n, maxGas: -1n },
  evidence: {
    maxAgeNumBlocks: 100_000n,
    maxAgeDurationNs: 172_800_000_000_000n,
    maxBytes: 1_048_576n,
  },
  validator: { publicKeyTypes: ['ed25519'] },
  version: { app: 0n },
  abci: { voteExtensionsEnableHeight: 0n },
}

/** CometBFT's maximum block size, which max_bytes = -1 means. */
export const MAX_BLOCK_BYTES = 104_857_600n

const params = z.object({
  block: z.object({
    max_bytes: int64.refine(
      (value) => value === -1n || (value > 0n && value <= MAX_BLOCK_BYTES),
      `expected -1, or 1 to ${MAX_BLOCK_BYTES}`,
    ),
    max_gas: int64.refine((value) => value >= -1n, 'expected -1 or more'),
  }),
  evidence: z.object({
    max_age_num_blocks: int64,
    max_age_duration: int64,
    max_bytes: int64,
  }),
  validator: z.object({ pub_key_types: z.array(z.string()).min(1) }),
  version: z.object({ app: int64.default(0n) }).default({ app: 0n }),
  abci: z
    .object({ vote_extensions_enable_height: int64.default(0n) })
    .default({ vote_extensions_enable_height: 0n }),
})

const genesisFile = z.object({
  genesis_time: timeText,
  chain_id: z.string().min(1).max(50, 'a chain id has at most 50 characters'),
  initial_height: heightText.default(1),
  consensus_params: params.optional(),
  validators: z
    .array(
      z.object({
        address: hexDigits.optional(),
        pub_key: publicKey,
        power: int64.refine((power) => power > 0n, 'expected a power above 0'),
        name: z.string().default(''),
      }),
    )
    .min(1, 'expected at least one validator'),
  app_hash: hexDigits.default(new Uint8Array(0)),
  app_state: z.unknown().optional(),
})

function paramsOf(json: z.infer<typeof params> | undefined): ConsensusParams {
  if (json === undefined) return DEFAULT_PARAMS
  return {
    block: { maxBytes: json.block.max_bytes, maxGas: json.block.max_gas },
    evidence: {
      maxAgeNumBlocks: json.evidence.max_age_num_blocks,
      maxAgeDurationNs: json.evidence.max_age_duration,
      maxBytes: json.evidence.max_bytes,
    },
    validator: { publicKeyTypes: json.validator.pub_key_types },
    version: { app: json.version.app },
    abci: { voteExtensionsEnableHeight: json.abci.vote_extensions_enable_height },
  }
}

/** Reads the text of a genesis.json; `file` is its name in errors. Throws UserError. */
export function parseGenesis(file: string, text: string): Genesis {
  const json = parseJsonFile(file, text, genesisFile)
  const validators = json.validators.map((entry, index) => {
    const address = addressOfPublicKey(sha256, entry.pub_key.value)
    if (entry.address !== undefined && !equalBytes(entry.address, address))
      throw new UserError(`${file}: validators.${index}.address: does not match pub_key`)
    return { address, publicKey: entry.pub_key.value, power: entry.power, proposerPriority: 0n }
  })
  return {
    timeNs: json.genesis_time,
    chainId: json.chain_id,
    initialHeight: Math.max(1, json.initial_height),
    params: paramsOf(json.consensus_params),
    validators: sortValidators(validators),
    appHash: json.app_hash,
    appState: utf8(json.app_state === undefined ? '' : JSON.stringify(json.app_state)),
  }
}

/** A genesis with its exact text, which the consensus RPC serves and whose hash identifies block 0. */
export type LoadedGenesis = { readonly genesis: Genesis; readonly text: string }

/** Reads genesis.json. Throws UserError. */
export function loadGenesis(file: string): LoadedGenesis {
  const text = readTextFile(
    file,
    'Every home folder has one: start with a new home folder, or copy the genesis.json of the chain.',
  )
  return { genesis: parseGenesis(file, text), text }
}

/** JSON of consensus parameters, int64 as strings. */
export function paramsJson(value: ConsensusParams): object {
  return {
    block: {
      max_bytes: value.block.maxBytes.toString(),
      max_gas: value.block.maxGas.toString(),
    },
    evidence: {
      max_age_num_blocks: value.evidence.maxAgeNumBlocks.toString(),
      max_age_duration: value.evidence.maxAgeDurationNs.toString(),
      max_bytes: value.evidence.maxBytes.toString(),
    },
    validator: { pub_key_types: value.validator.publicKeyTypes },
    version: { app: value.version.app.toString() },
    abci: { vote_extensions_enable_height: value.abci.voteExtensionsEnableHeight.toString() },
  }
}

/** The initial data of a new chain. */
export type NewGenesis = {
  readonly timeNs: bigint
  readonly chainId: string
  readonly validators: readonly {
    readonly publicKey: Uint8Array
    readonly power: bigint
    readonly name: string
  }[]
  /** Plain JSON: numbers beyond 2^53 as strings. */
  readonly appState: unknown
  readonly params?: ConsensusParams
  readonly initialHeight?: number
}

/** The text of a genesis.json. */
export function genesisText(genesis: NewGenesis): string {
  const json = {
    genesis_time: formatTime(genesis.timeNs),
    chain_id: genesis.chainId,
    initial_height: String(genesis.initialHeight ?? 1),
    consensus_params: paramsJson(genesis.params ?? DEFAULT_PARAMS),
    validators: genesis.validators.map((validator) => ({
      address: toUpperHexDigits(addressOfPublicKey(sha256, validator.publicKey)),
      pub_key: publicKeyJson(validator.publicKey),
      power: validator.power.toString(),
      name: validator.name,
    })),
    app_hash: '',
    app_state: genesis.appState,
  }
  return `${JSON.stringify(json, undefined, 2)}\n`
}
