/** A pool over hand-set accounts, and signed transactions for it. */
import { bytesToBigint, concatBytes, equalBytes } from '../../src/base/bytes.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { addressOfPrivateKey, sign } from '../../src/base/secp256k1.ts'
import { signTransaction } from '../../src/chain/signTransaction.ts'
import type { Transaction } from '../../src/chain/transaction.ts'
import type { UnsignedTransaction } from '../../src/chain/unsignedTransaction.ts'
import {
  FIXED_LIMITS,
  type ConfiguredLimits,
  type PoolLimits,
} from '../../src/consensus/mempool/limits.ts'
import type { PoolJournal } from '../../src/consensus/mempool/journal/types.ts'
import { createMempool } from '../../src/consensus/mempool/mempool.ts'
import type { Mempool } from '../../src/consensus/mempool/types.ts'
import { authorizationHash } from '../../src/evm/delegation.ts'
import { LATEST_HARDFORK, type Hardfork } from '../../src/evm/rules.ts'
import type { Authorization } from '../../src/evm/transactable.ts'
import { EMPTY_CODE_HASH, type Account } from '../../src/evm/types.ts'

export const POOL_CHAIN_ID = 271_828n
export const GWEI = 1_000_000_000n

const privateKeyOf = (sender: number) => new Uint8Array(32).fill(sender + 1)

/** The address of the test's sender number. */
export const senderAddress = (sender: number): Uint8Array =>
  addressOfPrivateKey(privateKeyOf(sender))

/** A signed transfer of type 2 with both fees at 2 gwei, unless changed. */
export function signedTransfer(
  sender: number,
  nonce: number,
  changes: Partial<UnsignedTransaction> = {},
): Transaction {
  return signTransaction(
    {
      type: 2,
      chainId: POOL_CHAIN_ID,
      nonce: BigInt(nonce),
      maxFeePerGas: 2n * GWEI,
      maxPriorityFeePerGas: 2n * GWEI,
      gasLimit: 21_000n,
      to: new Uint8Array(20).fill(0xaa),
      value: 0n,
      data: new Uint8Array(0),
      accessList: [],
      authorizationList: [],
      ...changes,
    },
    privateKeyOf(sender),
  )
}

const DELEGATE = new Uint8Array(20).fill(0xbb)

/** Code by which an account delegates (EIP-7702), and its hash. */
export const DELEGATION: Uint8Array = concatBytes(Uint8Array.of(0xef, 0x01, 0x00), DELEGATE)
export const DELEGATION_HASH: Uint8Array = keccak256(DELEGATION)

/** The authorization by which a sender delegates, for its nonce 0 on this chain unless changed. */
export function authorizationOf(
  sender: number,
  changes: Partial<Pick<Authorization, 'chainId' | 'nonce'>> = {},
): Authorization {
  const unsigned = { chainId: POOL_CHAIN_ID, address: DELEGATE, nonce: 0n, ...changes }
  const { compact, yParity } = sign(authorizationHash(unsigned), privateKeyOf(sender))
  return {
    ...unsigned,
    yParity: BigInt(yParity),
    r: bytesToBigint(compact.subarray(0, 32)),
    s: bytesToBigint(compact.subarray(32)),
  }
}

export type PoolRig = {
  readonly pool: Mempool
  /** Sets an account and tells the pool, as a block that touched it would. */
  set(sender: number, account: Partial<Account>): void
  /** Sets an account without telling the pool. */
  setSilently(sender: number, account: Partial<Account>): void
  baseFee: bigint
  hardfork: Hardfork
  now: number
}

/** Limits that no test reaches unless it lowers them. */
export const CONFIGURED_LIMITS: ConfiguredLimits = {
  minGasPrice: 0n,
  senderLimit: 4096,
  queueLimit: 64,
  size: 20_000,
}

/** Every sender has 10^18 and nonce 0 until it is set. */
export function createPoolRig(limits: Partial<PoolLimits> = {}, journal?: PoolJournal): PoolRig {
  const accounts = new Map<string, Account>()
  const accountOf = (address: Uint8Array): Account =>
    accounts.get(toHexDigits(address)) ?? {
      nonce: 0n,
      balance: 10n ** 18n,
      codeHash: EMPTY_CODE_HASH,
    }
  const setSilently: PoolRig['setSilently'] = (sender, account) => {
    const address = senderAddress(sender)
    accounts.set(toHexDigits(address), { ...accountOf(address), ...account })
  }
  const rig: PoolRig = {
    baseFee: GWEI,
    hardfork: LATEST_HARDFORK,
    now: 0,
    setSilently,
    set(sender, account) {
      setSilently(sender, account)
      rig.pool.update({ touched: [toHexDigits(senderAddress(sender))], refused: [] })
    },
    pool: createMempool(
      {
        chainId: POOL_CHAIN_ID,
        blockGasLimit: 30_000_000n,
        minBaseFee: GWEI / 10n,
        nextHardfork: () => rig.hardfork,
        nextBaseFee: () => rig.baseFee,
        latest: () => ({
          account: accountOf,
          code: (hash) =>
            equalBytes(hash, DELEGATION_HASH) ? DELEGATION : Uint8Array.of(0x60, 0x00),
          storage: () => new Uint8Array(32),
          hasStorage: () => false,
        }),
      },
      { ...FIXED_LIMITS, ...CONFIGURED_LIMITS, ...limits },
      () => rig.now,
      undefined,
      journal,
    ),
  }
  return rig
}
