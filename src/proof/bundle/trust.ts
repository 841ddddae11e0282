/** The root of trust: what a verifier knows from other sources. Whatever is absent stays unchecked. */
import type { AttestationCrypto } from '../attestation/crypto.ts'
import type { EvidenceTrust } from '../attestation.ts'
import type { CometCrypto } from '../comet/crypto.ts'

export type BundleTrust = {
  /** Id of the consensus chain, "assay_271828-1". */
  readonly chainId?: string
  /** Hash of the chain's validators (32 bytes), or of the header itself (32 bytes). */
  readonly validatorsHash?: Uint8Array
  readonly headerHash?: Uint8Array
  /** The state root (32 bytes) of a block of a chain other than ours. */
  readonly stateRoot?: Uint8Array
  /** Address of the receipts contract on that chain. */
  readonly receiptsContract: string
  /** Lower-case addresses. */
  readonly dispatcher?: string
  readonly operators?: readonly string[]
  /** Which evidence is trusted. */
  readonly evidence: EvidenceTrust
  /** The prompt, if the verifier knows it. */
  readonly prompt?: string
  /** Results of the verifier's own executions of the job, by the seed in the statement. */
  readonly executions?: ReadonlyMap<string, Execution>
}

/** Roots and hash are 0x and 64 digits, as in a statement. */
export type Execution = {
  readonly modelRoot: string
  readonly traceRoot: string
  readonly outputHash: string
}

/** Cryptography, passed in so that Node and a web page run the same verifier. */
export type BundleContext = CometCrypto & { readonly attestation: AttestationCrypto }
