/** The root of trust: what a verifier knows from other sources. Whatever is absent stays unchecked. */
import type { AttestationCrypto } from '../attestation/crypto.ts'
import type { EvidenceTrust } from '../attestation.ts'
import type { CometCrypto } from '../comet/crypto.ts'
import type { JobType } from '../job/job.ts'

export type BundleTrust = {
  /** Id of the consensus chain, "assay_271828-1". */
  readonly chainId?: string
  /** Hash of the chain's validators (32 bytes), or of headers themselves (32 bytes each): answers may end at several. */
  readonly validatorsHash?: Uint8Array
  readonly headerHashes?: readonly Uint8Array[]
  /** The state root (32 bytes) of a block of a chain other than ours. */
  readonly stateRoot?: Uint8Array
  /**
   * The present, in nanoseconds since 1970, for the age of headers of trusted validators. Such headers are not accepted
   * without it: verification itself has no clock.
   */
  readonly nowNs?: bigint
  /** How long a header by trusted validators is trusted; CometBFT's default if absent. */
  readonly trustingPeriodNs?: bigint
  /** Maximum time from the record of an answer to its anchor, in seconds (D77); an hour if absent. */
  readonly maxAnchorDelay?: number
  /** Addresses of the contracts on that chain. */
  readonly receiptsContract: string
  readonly registryContract: string
  /** The job, 64 hex digits. */
  readonly jobId?: string
  /** Lower-case addresses. */
  readonly dispatcher?: string
  readonly operators?: readonly string[]
  /** Which evidence is trusted. */
  readonly evidence: EvidenceTrust
  /** The prompt, if the verifier knows it. */
  readonly prompt?: string
  /** The submission, if the verifier knows it. */
  readonly request?: KnownRequest
  /** SHA-256 of the model file, 0x and 64 digits. */
  readonly modelHash?: string
  /** Results of the verifier's own executions, by `runKey`. */
  readonly executions?: ReadonlyMap<string, Execution>
}

/** What a submission asked for. Hashes are 0x and 64 digits. */
export type KnownRequest = {
  /** SHA-256 of the submission, to which the job id commits (D25). */
  readonly requestHash: string
  readonly jobType: JobType
  readonly model: string
  readonly promptHash: string
  readonly paramsHash: string
}

/** What an execution of the verifier gave. Hashes and roots are 0x and 64 digits, as in a statement. */
export type Execution = {
  readonly engine: string
  /** SHA-256 of the model file. */
  readonly modelHash: string
  readonly promptHash: string
  readonly paramsHash: string
  readonly outputHash: string
  readonly tokens: number
  readonly promptTokens: number
  readonly finishReason: string
  readonly modelRoot: string
  readonly traceRoot: string
  readonly commitment: number
  readonly rowsRoot: string
  readonly templateHash: string
  readonly renderer: string
  readonly tokenListHash: string
}

/** Cryptography, passed in so that Node and a web page run the same verifier. */
export type BundleContext = CometCrypto & { readonly attestation: AttestationCrypto }
