/** Failures of accounts and wallets as JSON-RPC errors. */
import { AccountError } from '../../accounts/errors.ts'
import { TypedDataError } from '../../base/typedData.ts'
import { RpcError } from '../../wire/errors.ts'

/** RpcError -32000 with the message of an AccountError or TypedDataError; any other error unchanged. */
export function accountFailure(error: unknown): unknown {
  return error instanceof AccountError || error instanceof TypedDataError
    ? new RpcError('server', error.message)
    : error
}

/** Waits for work on an account. Rejects with RpcError -32000 when the account cannot be used (D12, D43). */
export async function orAccountFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw accountFailure(error)
  }
}
