/**
 * The interface of the EVM: one top-level message in, effects out. An engine reads the world through a synchronous view
 * and writes nothing; its changes are returned as data. It knows nothing of the block database or the RPC.
 */
import type { Hardfork } from './rules.ts'

/** An account as in the state trie, without its storage root. */
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
   * Identifies the storage of all accounts: views with the same identity agree on every slot forever, so an engine may
   * cache what it has read. Absent if slots may change.
   */
  storageIdentity?(): object | undefined
}

/** Changes of one account. Values are final, after all frames. */
export type AccountEffect = {
  readonly address: Uint8Array
  /** The account afterwards; undefined if it no longer exists. */
  readonly account: Account | undefined
  /** Code that was deployed and must be stored under `account.codeHash`. */
  readonly code?: Uint8Array
  /** All previous slots are removed (self-destruct, or re-creation); `storage` holds the ones written afterwards. */
  readonly storageCleared: boolean
  /** Written slots: key is the slot as 64 hex digits, value 32 bytes (zeros delete the slot). */
  readonly storage: ReadonlyMap<string, Uint8Array>
}

/** Changes to the world, one entry per touched account; key is the address as 40 hex digits. */
export type Effects = ReadonlyMap<string, AccountEffect>

/** The block in which a message runs, as opcodes see it. */
export type BlockEnvironment = {
  /** The active fork. */
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
  /** BLOBBASEFEE; 1 on a chain without blobs. */
  readonly blobBaseFee: bigint
  /**
   * Overrides of the fork's precompiles in a simulation, by address of 40 hex digits: the number of the precompile at
   * that address (its own address on a real chain), or 0 for none. At most 64.
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

/** A top-level call or creation. Intrinsic gas, nonce and fees are handled by the caller of the engine. */
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
  /** Addresses and slots that are warm from the start, besides sender, target, coinbase and precompiles. */
  readonly accessList: readonly AccessListEntry[]
  /** Versioned hashes for BLOBHASH: used by state tests only, our blocks contain no blobs (D19). */
  readonly blobVersionedHashes?: readonly Uint8Array[]
}

/** Result of a message. */
export type Outcome = {
  /** `revert`: the code reverted, `output` is its data. `halt`: an exceptional halt, all gas is used. */
  readonly status: 'success' | 'revert' | 'halt'
  /** Reason of a halt in go-ethereum's wording ("out of gas", "invalid opcode: 0xfe", …); empty otherwise. */
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

/** The requested part of an outcome. A `result` has no logs and no effects: for calls that change nothing. */
export type OutcomeScope = 'everything' | 'result'

/** An EVM. Each message follows the fork of its block. */
export type Engine = {
  /** `scope` is `everything` by default. */
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
