/**
 * The seam of the EVM: one top-level message in, effects out. An engine reads the world through a synchronous view and
 * writes nothing; what it changed comes back as data. It knows no blocks database and no RPC.
 */
import type { Hardfork } from './rules.ts'

/** An account as the state trie knows it, without its storage root. */
export type Account = {
  readonly nonce: bigint
  readonly balance: bigint
  /** 32 bytes; EMPTY_CODE_HASH when there is no code. */
  readonly codeHash: Uint8Array
}

/** The world state at one point, read synchronously. Addresses have 20 bytes, slots and values 32. */
export type StateView = {
  /** The account, or undefined when it does not exist. */
  account(address: Uint8Array): Account | undefined
  /** The code with this hash; empty for EMPTY_CODE_HASH. */
  code(codeHash: Uint8Array): Uint8Array
  /** The value of a slot: 32 bytes, zeros when it was never written. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
  /** Whether any slot of the account is set (EIP-7610 refuses creation over it). */
  hasStorage(address: Uint8Array): boolean
  /**
   * Stands for the storage of all accounts: views that have the same one agree on every slot for ever, so that an engine
   * may keep what it has read. Absent where slots may change.
   */
  storageIdentity?(): object | undefined
}

/** What happened to one account. Values are final ones, after all frames. */
export type AccountEffect = {
  readonly address: Uint8Array
  /** The account afterwards; undefined when it does not exist any more. */
  readonly account: Account | undefined
  /** Code that was deployed and must be stored under `account.codeHash`. */
  readonly code?: Uint8Array
  /** All slots from before are gone (self-destruct, or re-creation); `storage` holds the ones written afterwards. */
  readonly storageCleared: boolean
  /** Written slots: key is the slot as 64 hex digits, value 32 bytes (zeros delete the slot). */
  readonly storage: ReadonlyMap<string, Uint8Array>
}

/** Changes to the world, one entry per touched account; key is the address as 40 hex digits. */
export type Effects = ReadonlyMap<string, AccountEffect>

/** The block that a message runs in, as opcodes see it. */
export type BlockEnvironment = {
  /** Whose rules hold. */
  readonly hardfork: Hardfork
  readonly chainId: bigint
  readonly height: number
  /** Seconds since 1970. */
  readonly timestamp: bigint
  readonly coinbase: Uint8Array
  readonly gasLimit: bigint
  readonly baseFeePerGas: bigint
  /** PREVRANDAO, 32 bytes (D51). */
  readonly prevRandao: Uint8Array
  /** BLOBBASEFEE; 1 where a chain has no blobs. */
  readonly blobBaseFee: bigint
  /**
   * Where a simulation has other precompiles than the fork, by address of 40 hex digits: the number of the one that stands
   * there (its own address on a real chain), or 0 for none. At most 64.
   */
  readonly precompiles?: ReadonlyMap<string, number>
}

/** A log record as emitted by LOG0…LOG4. */
export type Log = {
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

/** One entry of an EIP-2930 access list. */
export type AccessListEntry = {
  readonly address: Uint8Array
  readonly storageKeys: readonly Uint8Array[]
}

/** A top-level call or creation. Intrinsic gas, nonce and fees are settled by the caller of the engine. */
export type Message = {
  readonly caller: Uint8Array
  /** undefined creates a contract. */
  readonly to: Uint8Array | undefined
  readonly value: bigint
  /** Call data, or init code of a creation. */
  readonly data: Uint8Array
  /** Gas that the frames may use. */
  readonly gasLimit: bigint
  /** Effective gas price (GASPRICE). */
  readonly gasPrice: bigint
  /** ORIGIN. */
  readonly origin: Uint8Array
  /** For a creation: the sender's nonce before the transaction, from which the address derives. */
  readonly nonce: bigint
  /** Addresses and slots that are warm from the start, beside sender, target, coinbase and precompiles. */
  readonly accessList: readonly AccessListEntry[]
  /** Versioned hashes for BLOBHASH: used by state tests only, blocks here carry no blobs (D19). */
  readonly blobVersionedHashes?: readonly Uint8Array[]
}

/** What a message did. */
export type Outcome = {
  /** `revert`: the code asked for it, `output` holds its data. `halt`: an exceptional halt, all gas is used. */
  readonly status: 'success' | 'revert' | 'halt'
  /** Reason of a halt in go-ethereum's words ("out of gas", "invalid opcode: 0xfe", …); empty otherwise. */
  readonly error: string
  readonly gasUsed: bigint
  /** The refund counter (EIP-3529), not yet capped. */
  readonly gasRefund: bigint
  readonly output: Uint8Array
  readonly logs: readonly Log[]
  /** Empty unless `status` is `success`. */
  readonly effects: Effects
  /** Address of the created contract, for a creation that got that far. */
  readonly createdAddress: Uint8Array | undefined
}

/** What of an outcome is asked for. A `result` has no logs and no effects: for calls that change nothing. */
export type OutcomeScope = 'everything' | 'result'

/** An EVM. Each message follows the fork of its block. */
export type Engine = {
  /** `scope` is `everything` unless given. */
  execute(
    message: Message,
    block: BlockEnvironment,
    state: StateView,
    scope?: OutcomeScope,
  ): Outcome
}

/** Keccak-256 of no bytes. */
export const EMPTY_CODE_HASH: Uint8Array = Uint8Array.from([
  0xc5, 0xd2, 0x46, 0x01, 0x86, 0xf7, 0x23, 0x3c, 0x92, 0x7e, 0x7d, 0xb2, 0xdc, 0xc7, 0x03, 0xc0,
  0xe5, 0x00, 0xb6, 0x53, 0xca, 0x82, 0x27, 0x3b, 0x7b, 0xfa, 0xd8, 0x04, 0x5d, 0x85, 0xa4, 0x70,
])
