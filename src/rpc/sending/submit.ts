/** Submits raw transactions to the pool, with JSON-RPC errors. */
import { TransactionDecodeError, type Transaction } from '../../chain/transaction.ts'
import { PoolRejection, type TransactionPool } from '../../consensus/pool.ts'
import { RpcError } from '../../wire/errors.ts'

function passOn(error: unknown): never {
  if (error instanceof PoolRejection || error instanceof TransactionDecodeError)
    throw new RpcError('server', error.message)
  throw error
}

/** Adds EIP-2718 bytes to the pool. Rejects with RpcError -32000 and the pool's reason (D12). */
export function enter(pool: TransactionPool, raw: Uint8Array): Promise<Transaction> {
  return pool.add(raw).catch(passOn)
}

/**
 * The hash of a transaction that was added, once a restart would not lose it (D64). Rejects with RpcError -32000 when
 * the disk is full.
 */
export function acknowledge(
  pool: TransactionPool,
  { hash }: Transaction,
): Uint8Array | Promise<Uint8Array> {
  const kept = pool.kept(hash)
  return kept === undefined ? hash : kept.then(() => hash, passOn)
}

/** Adds EIP-2718 bytes to the pool and returns the hash. Rejects as the two others do. */
export function submit(pool: TransactionPool, raw: Uint8Array): Promise<Uint8Array> {
  return pool.add(raw).then((transaction) => acknowledge(pool, transaction), passOn)
}
