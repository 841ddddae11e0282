/** What both forms of debug_getModifiedAccountsBy… do. */
import { RpcError } from '../../../wire/errors.ts'
import type { World } from '../../world.ts'

/** The range between two blocks; with one, what this block modified. Throws RpcError -32000 in go-ethereum's words. */
export async function modifiedBetween(
  { executions }: Pick<World, 'executions'>,
  start: number,
  end: number | undefined,
): Promise<readonly Uint8Array[]> {
  const [first, last] = end === undefined ? [start - 1, start] : [start, end]
  if (first < 0) throw new RpcError('server', `block ${last.toString(16)} has no parent`)
  if (first >= last)
    throw new RpcError(
      'server',
      `start block height (${first}) must be less than end block height (${last})`,
    )
  const answer = await executions.run({ kind: 'modifiedAccounts', first, last })
  return (answer as { readonly addresses: readonly Uint8Array[] }).addresses
}
