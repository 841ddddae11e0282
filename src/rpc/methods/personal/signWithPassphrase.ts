/** One use of a key with its passphrase: the account's lock state does not change. */
import type { AccountSigner } from '../../../accounts/accounts.ts'
import { RpcError } from '../../../wire/errors.ts'
import { orAccountFailure } from '../../sending/accountErrors.ts'
import type { World } from '../../world.ts'

/** Lets `use` sign. Rejects with RpcError -32000: `unknown account`, or a wrong passphrase (D43). */
export function signWithPassphrase<T>(
  { accounts }: Pick<World, 'accounts'>,
  address: Uint8Array,
  passphrase: string,
  use: (signer: AccountSigner) => T,
): Promise<T> {
  if (accounts.signer(address, undefined) === 'unknown')
    throw new RpcError('server', 'unknown account')
  return orAccountFailure(accounts.withPassphrase(address, passphrase, use))
}
