/** The accounts of a node: key store, unlocks, and the single gate through which every key is used. */
import { systemClock, type Clock } from '../base/clock.ts'
import { signMessage } from '../base/personalMessage.ts'
import { generatePrivateKey } from '../base/privateKey.ts'
import { addressOfPrivateKey, isPrivateKey, signRsv } from '../base/secp256k1.ts'
import { typedDataDigest, type TypedData } from '../base/typedData.ts'
import { signTransaction } from '../chain/signTransaction.ts'
import type { Transaction } from '../chain/transaction.ts'
import type { UnsignedTransaction } from '../chain/unsignedTransaction.ts'
import { createAttempts } from './attempts.ts'
import { AccountError } from './errors.ts'
import type { Keystore } from './keystore.ts'
import { createUnlocks } from './unlocks.ts'

/** Signs with one key, without exposing it. There is no way to sign a bare digest. */
export type AccountSigner = {
  /** 65 bytes over the prefixed message (EIP-191). */
  signMessage(message: Uint8Array): Uint8Array
  /** 65 bytes over typed data (EIP-712). Throws TypedDataError. */
  signTypedData(data: TypedData): Uint8Array
  signTransaction(transaction: UnsignedTransaction): Transaction
}

/**
 * `anyone` may use an unlocked account while only this machine can reach the node; otherwise only the principal that
 * unlocked it (D14).
 */
export type UnlockScope = 'anyone' | 'principal'

export type Accounts = {
  /** Addresses of 20 bytes in the order of their creation, the development accounts first (D40). */
  list(): readonly Uint8Array[]
  /**
   * A signer that works while the account is unlocked for the principal; after that, it throws AccountError `locked`.
   */
  signer(address: Uint8Array, principal: string | undefined): AccountSigner | 'locked' | 'unknown'
  /** Lets `use` sign with a passphrase and leaves the lock as it is. Rejects with AccountError. */
  withPassphrase<T>(
    address: Uint8Array,
    passphrase: string,
    use: (signer: AccountSigner) => T,
  ): Promise<T>
  /** Unlocks for a number of seconds; until exit if undefined (D43). Rejects with AccountError. */
  unlock(
    address: Uint8Array,
    passphrase: string,
    seconds: number | undefined,
    principal: string | undefined,
  ): Promise<void>
  /** Locks for all principals; a locked account stays locked. */
  lock(address: Uint8Array): void
  /**
   * Unlocks the listed accounts until exit, with publicly known keys; does nothing in the scope `principal`. Takes
   * ownership of the keys' bytes.
   */
  unlockWith(privateKeys: readonly Uint8Array[]): void
  /** Creates a key under a passphrase; the account is locked. */
  create(passphrase: string): Promise<Uint8Array>
  /**
   * Stores a key, whose bytes are wiped. If the key already exists, the same passphrase returns its address, and a
   * different one is AccountError `exists` (D43).
   */
  importKey(privateKey: Uint8Array, passphrase: string): Promise<Uint8Array>
  /** Wipes every unlocked key. */
  close(): void
}

const ANYONE = 'anyone'

/** A signer that looks up the key at every use. */
function signerOf(key: () => Uint8Array): AccountSigner {
  return {
    signMessage: (message) => signMessage(message, key()),
    signTypedData: (data) => signRsv(typedDataDigest(data), key()),
    signTransaction: (transaction) => signTransaction(transaction, key()),
  }
}

/** The accounts over a key store. */
export function createAccounts(
  keystore: Keystore,
  options: { readonly scope: UnlockScope; readonly clock?: Clock },
): Accounts {
  const { scope, clock = systemClock } = options
  const unlocks = createUnlocks(clock)
  const attempt = createAttempts(clock)

  /** undefined for an anonymous caller that shares no unlock. */
  function holderOf(principal: string | undefined): string | undefined {
    return scope === 'anyone' ? ANYONE : principal
  }

  function decrypt(address: Uint8Array, passphrase: string): Promise<Uint8Array> {
    if (!keystore.has(address)) throw new AccountError('unknown')
    return attempt(address, () => keystore.decrypt(address, passphrase))
  }

  async function store(privateKey: Uint8Array, passphrase: string): Promise<Uint8Array> {
    try {
      return await keystore.add(privateKey, passphrase)
    } finally {
      privateKey.fill(0)
    }
  }

  return {
    list: () => keystore.list(),
    signer(address, principal) {
      if (!keystore.has(address)) return 'unknown'
      const holder = holderOf(principal)
      const key = (): Uint8Array | undefined =>
        holder === undefined ? undefined : unlocks.keyOf(address, holder)
      if (key() === undefined) return 'locked'
      return signerOf(() => {
        const held = key()
        if (held === undefined) throw new AccountError('locked')
        return held
      })
    },
    async withPassphrase(address, passphrase, use) {
      const key = await decrypt(address, passphrase)
      try {
        return use(signerOf(() => key))
      } finally {
        key.fill(0)
      }
    },
    async unlock(address, passphrase, seconds, principal) {
      const holder = holderOf(principal)
      if (holder === undefined) throw new AccountError('locked')
      const key = await decrypt(address, passphrase)
      unlocks.unlock(address, holder, key, seconds === undefined ? undefined : seconds * 1000)
    },
    lock: (address) => unlocks.lock(address),
    unlockWith(privateKeys) {
      if (scope !== 'anyone') return
      for (const key of privateKeys) {
        const address = addressOfPrivateKey(key)
        if (keystore.has(address)) unlocks.unlock(address, ANYONE, key, undefined)
      }
    },
    create: (passphrase) => store(generatePrivateKey(), passphrase),
    async importKey(privateKey, passphrase) {
      if (!isPrivateKey(privateKey)) throw new AccountError('invalid-key')
      const address = addressOfPrivateKey(privateKey)
      if (!keystore.has(address)) return await store(privateKey, passphrase)
      privateKey.fill(0)
      try {
        const known = await decrypt(address, passphrase)
        known.fill(0)
        return address
      } catch (error) {
        const isWrong = error instanceof AccountError && error.code === 'wrong-passphrase'
        throw isWrong ? new AccountError('exists') : error
      }
    },
    close: () => unlocks.lockAll(),
  }
}
