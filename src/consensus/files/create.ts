/** The consensus files of a new home: a chain with one validator. */
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { UserError } from '../../base/errors.ts'
import { writeFileAtomic } from '../../base/files.ts'
import type { ConsensusParams } from '../application.ts'
import { DEFAULT_PARAMS, genesisText } from './genesis.ts'
import { createNodeKey, createValidatorKey, loadValidatorKey } from './keys.ts'
import { loadSignState, NO_SIGN_STATE, writeSignState } from './signState.ts'

/** Paths in a home (D22). */
export type ConsensusFiles = {
  readonly genesis: string
  readonly validatorKey: string
  readonly nodeKey: string
  readonly validatorState: string
}

export type NewChainFiles = {
  readonly chainId: string
  readonly moniker: string
  /** Nanoseconds since 1970; the time of block 1. */
  readonly genesisTimeNs: bigint
  /** Version of the application's rules. */
  readonly appVersion: bigint
  /** `app_state` for the validator with this Ed25519 key (32 bytes), whose power is 10. */
  readonly appState: (publicKey: Uint8Array) => unknown
  readonly params?: ConsensusParams
}

/**
 * Creates what is missing. genesis.json comes last, so a home that has it is complete. Throws UserError when it is
 * missing although blocks were signed: a new one would be another chain.
 */
export function createConsensusFiles(files: ConsensusFiles, chain: NewChainFiles): void {
  for (const file of Object.values(files))
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const { signer } = existsSync(files.validatorKey)
    ? loadValidatorKey(files.validatorKey)
    : createValidatorKey(files.validatorKey)
  if (!existsSync(files.nodeKey)) createNodeKey(files.nodeKey)
  if (!existsSync(files.validatorState)) writeSignState(files.validatorState, NO_SIGN_STATE)
  if (existsSync(files.genesis)) return
  if (loadSignState(files.validatorState).height > 0)
    throw new UserError(
      `${files.genesis} is missing, but this home folder has a chain`,
      'Restore it from a backup, or create a new home folder.',
    )
  const text = genesisText({
    timeNs: chain.genesisTimeNs,
    chainId: chain.chainId,
    validators: [{ publicKey: signer.publicKey, power: 10n, name: chain.moniker }],
    appState: chain.appState(signer.publicKey),
    params: { ...(chain.params ?? DEFAULT_PARAMS), version: { app: chain.appVersion } },
  })
  writeFileAtomic(files.genesis, text, 0o644)
}
