/**
 * Verification of receipt bundles for other programs (`assay/proof`, D150), in Node and in a page: the checks of
 * `assay job verify`, from what the caller trusts. Asks no server.
 */
import { toHex, tryFromAnyHex, type Hex } from '../base/hex.ts'
import { webCrypto } from '../proof/attestation/webCrypto.ts'
import type { EvidenceTrust } from '../proof/attestation.ts'
import { verdictOf, type Fact, type Line, type Verdict } from '../proof/bundle/report.ts'
import type { BundleContext, BundleTrust, KnownRequest } from '../proof/bundle/trust.ts'
import { verifyBundle } from '../proof/bundle/verify.ts'
import { portableCrypto } from '../proof/comet/portableCrypto.ts'

export type { EvidenceTrust, Fact, KnownRequest, Line, Verdict }

/** What the caller knows from other sources. Whatever is absent stays unchecked. Hashes are hex digits, 0x or not. */
export type Trust = {
  /** Address of the dispatcher, which establishes `signed`. */
  readonly dispatcher?: string
  /** Addresses of operators. */
  readonly operators?: readonly string[]
  /** Id of the consensus chain, for example "assay_271828-1". */
  readonly chainId?: string
  /** Hash of its validators, or of headers that the answers must lead to: establish `anchored`. */
  readonly validatorsHash?: string
  readonly headerHashes?: readonly string[]
  /** State root of a block of another EVM chain. */
  readonly stateRoot?: string
  /** Maximum age of a header of trusted validators, in seconds; by default CometBFT's, a week. */
  readonly trustingPeriod?: number
  /** Maximum time from the record of an answer to its anchor, in seconds; by default an hour. */
  readonly maxAnchorDelay?: number
  /** Contracts of the chain; by default those of the Assay genesis. */
  readonly receiptsContract?: string
  readonly registryContract?: string
  /** The job that is meant, 64 hex digits. */
  readonly jobId?: string
  readonly prompt?: string
  /** SHA-256 of the model file. */
  readonly modelHash?: string
  /** Hashes of the submission. */
  readonly request?: KnownRequest
  /** Which evidence of machines is trusted; by default any software, which establishes nothing but `software`. */
  readonly evidence?: EvidenceTrust
  /** The present, in milliseconds since 1970; by default the clock of this machine. */
  readonly nowMs?: number
}

/** What a verification found. */
export type Verification = {
  /** `fails`: a check failed. `unchecked`: none failed, but a required fact is not established. */
  readonly verdict: Verdict
  /** What was established about each answer, in the order of the bundle. */
  readonly facts: readonly (readonly Fact[])[]
  readonly lines: readonly Line[]
}

/** Where genesis puts the registry of operators, and the contract that keeps the roots of receipts (D52). */
const REGISTRY_CONTRACT = '0x0000000000000000000000000000000000002001'
const RECEIPTS_CONTRACT = '0x0000000000000000000000000000000000002002'

const NS_PER_MS = 1_000_000n
const NS_PER_S = 1_000_000_000n
const HASH_BYTES = 32
const ADDRESS_BYTES = 20

function bytesOf(name: string, text: string, length: number): Uint8Array {
  const bytes = tryFromAnyHex(text)
  if (bytes?.length === length) return bytes
  throw new TypeError(`${name} must be ${length * 2} hex digits, with or without 0x`)
}

const hashOf = (name: string, text: string): Uint8Array => bytesOf(name, text, HASH_BYTES)
const addressOf = (name: string, text: string): Hex => toHex(bytesOf(name, text, ADDRESS_BYTES))

/** The value as another one; undefined if it is absent. */
function mapped<From, To>(value: From | undefined, map: (value: From) => To): To | undefined {
  return value === undefined ? undefined : map(value)
}

/** The members that are not undefined. */
function present<Value extends object>(
  value: Value,
): { [Name in keyof Value]?: Exclude<Value[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [Name in keyof Value]?: Exclude<Value[Name], undefined>
  }
}

function trustOf(trust: Trust): BundleTrust {
  const { chainId, jobId, prompt, request, maxAnchorDelay } = trust
  return {
    nowNs: BigInt(Math.floor(trust.nowMs ?? Date.now())) * NS_PER_MS,
    receiptsContract: addressOf('receiptsContract', trust.receiptsContract ?? RECEIPTS_CONTRACT),
    registryContract: addressOf('registryContract', trust.registryContract ?? REGISTRY_CONTRACT),
    evidence: trust.evidence ?? { software: 'any' },
    ...present({
      chainId,
      jobId,
      prompt,
      request,
      maxAnchorDelay,
      dispatcher: mapped(trust.dispatcher, (text) => addressOf('dispatcher', text)),
      operators: trust.operators?.map((text) => addressOf('operators', text)),
      validatorsHash: mapped(trust.validatorsHash, (text) => hashOf('validatorsHash', text)),
      headerHashes: trust.headerHashes?.map((text) => hashOf('headerHashes', text)),
      stateRoot: mapped(trust.stateRoot, (text) => hashOf('stateRoot', text)),
      modelHash: mapped(trust.modelHash, (text) => toHex(hashOf('modelHash', text))),
      trustingPeriodNs: mapped(trust.trustingPeriod, (seconds) => BigInt(seconds) * NS_PER_S),
    }),
  }
}

function contextOf(): BundleContext {
  // Types of Node and of pages differ; what they describe is the same.
  const subtle = crypto.subtle as unknown as Parameters<typeof webCrypto>[0]
  return { ...portableCrypto, attestation: webCrypto(subtle) }
}

/**
 * Verifies a bundle: the parsed JSON of a job's receipt. `required` are the facts that every answer needs; without any, one
 * of `signed`, `re-executed` and `hardware`. A bundle of any shape gives a result; a trust that is malformed rejects with
 * TypeError.
 */
export async function verifyReceipts(
  bundle: unknown,
  trust: Trust,
  required: readonly Fact[] = [],
): Promise<Verification> {
  const report = await verifyBundle(bundle, trustOf(trust), contextOf())
  return { verdict: verdictOf(report, required), facts: report.facts, lines: report.lines }
}
