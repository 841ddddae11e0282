/** Submits raw transactions to the pool, with JSON-RPC errors. */
import { TransactionDecodeError, type Transaction } from '../../chain/transaction.ts'
import { PoolRejection, type TransactionPool } from '../../consensus/pool.ts'
import { RpcError } from '../../wire/errors.ts'

function hashOf({ hash }: Transaction): Uint8Array {
  return hash
}

function passOn(error: unknown): never {
  if (error instanceof PoolRejection || error instanceof TransactionDecodeError)
    throw new RpcError('server', error.message)
  throw error
}

/**
 * Submits EIP-2718 bytes to the pool and returns the hash. Rejects with RpcError -32000 and the pool's reason (D12).
 */
export function submit(pool: TransactionPool, raw: Uint8Array): Promise<Uint8Array> {
  return pool.add(raw).then(hashOf, passOn)
}
