/** Hands raw transactions to the pool, in the words of the JSON-RPC. */
import { TransactionDecodeError } from '../chain/transaction.ts'
import { PoolRejection, type TransactionPool } from '../consensus/pool.ts'
import { RpcError } from '../wire/errors.ts'

/** Offers EIP-2718 bytes to the pool and gives the hash. Throws RpcError -32000 with the pool's reason (D12). */
export async function submit(pool: TransactionPool, raw: Uint8Array): Promise<Uint8Array> {
  try {
    return (await pool.add(raw)).hash
  } catch (error) {
    if (error instanceof PoolRejection || error instanceof TransactionDecodeError)
      throw new RpcError('server', error.message)
    throw error
  }
}
