/**
 * EIP-7702 in the pool: code of others can spend the balance of a delegated account, and an authorization uses up a nonce.
 * So neither may take many pooled transactions with it. The rules and their texts are go-ethereum's (D12, D80).
 */
import { addressDigits } from '../../base/addressDigits.ts'
import { writeWord } from '../../base/bytes.ts'
import type { SenderSignature, Transaction } from '../../chain/transaction.ts'
import { authorizationHash } from '../../evm/delegation.ts'
import { isSignature } from '../../evm/recover.ts'
import type { Authorization } from '../../evm/transactable.ts'
import type { StateView } from '../../evm/types.ts'
import { PoolRejection } from '../pool.ts'
import type { RecoverSender } from './recoverSender.ts'
import type { PooledTransaction, SenderQueue } from './senderQueue.ts'

const NOBODY: readonly string[] = []

function signatureOf(authorization: Authorization): SenderSignature | undefined {
  const { yParity, r, s } = authorization
  if (!isSignature(yParity, r, s)) return undefined
  const compact = new Uint8Array(64)
  writeWord(compact, 0, r)
  writeWord(compact, 32, s)
  return { digest: authorizationHash(authorization), compact, yParity: Number(yParity) }
}

/**
 * The accounts that a transaction delegates, as 40 hex digits each. An authorization for another chain, or whose nonce
 * was used, cannot take effect: anybody can copy one, so it reserves nothing.
 */
export async function authoritiesOf(
  { type, authorizationList }: Transaction,
  { chainId, state }: { readonly chainId: bigint; readonly state: StateView },
  recover: RecoverSender,
): Promise<readonly string[]> {
  if (type !== 4) return NOBODY
  const found = await Promise.all(
    authorizationList.map(async (authorization) => {
      if (authorization.chainId !== 0n && authorization.chainId !== chainId) return undefined
      const signature = signatureOf(authorization)
      const authority = signature && (await recover(signature))
      if (authority === undefined) return undefined
      const isUsed = authorization.nonce < (state.account(authority)?.nonce ?? 0n)
      return isUsed ? undefined : addressDigits(authority)
    }),
  )
  return [...new Set(found.filter((authority) => authority !== undefined))]
}

/** The accounts that pooled transactions delegate. */
export type Delegations = {
  add(entry: PooledTransaction): void
  remove(entry: PooledTransaction): void
  /** Whether a pooled transaction delegates an account, given as 40 hex digits. */
  isNamed(authority: string): boolean
  clear(): void
}

/** No delegations. */
export function createDelegations(): Delegations {
  const counts = new Map<string, number>()
  return {
    add({ authorities }) {
      for (const authority of authorities) counts.set(authority, (counts.get(authority) ?? 0) + 1)
    },
    remove({ authorities }) {
      for (const authority of authorities) {
        const left = (counts.get(authority) ?? 0) - 1
        if (left > 0) counts.set(authority, left)
        else counts.delete(authority)
      }
    },
    isNamed: (authority) => counts.size > 0 && counts.has(authority),
    clear: () => counts.clear(),
  }
}

/**
 * Checks a transaction whose sender is delegated, or is about to be: it may have one pending transaction, which can be
 * replaced. Throws PoolRejection.
 */
export function checkInFlight(
  { transaction }: PooledTransaction,
  accountNonce: bigint,
  queue: SenderQueue | undefined,
): void {
  const { nonce } = transaction
  if (queue === undefined || queue.pendingCount() === 0) {
    if (nonce !== accountNonce) throw new PoolRejection('gapped-nonce tx from delegated accounts')
  } else if (nonce >= queue.pendingNonce()) {
    throw new PoolRejection('in-flight transaction limit reached for delegated accounts')
  }
}

/** Checks that nobody whom a transaction delegates has more than one pooled transaction. Throws PoolRejection. */
export function checkAuthorities(
  { authorities }: PooledTransaction,
  queues: ReadonlyMap<string, SenderQueue>,
): void {
  for (const authority of authorities)
    if ((queues.get(authority)?.entries.length ?? 0) > 1)
      throw new PoolRejection('authority already reserved')
}
