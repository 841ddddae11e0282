/** One use of a key under its passphrase: the account stays as locked as it was. */
import type { AccountSigner } from '../../../accounts/accounts.ts'
import { RpcError } from '../../../wire/errors.ts'
import { orAccountFailure } from '../../sending/accountErrors.ts'
import type { Node } from '../../world.ts'

/** Lets `use` sign. Rejects with RpcError -32000: `unknown account`, or the passphrase is wrong (D43). */
export function signWithPassphrase<T>(
  { accounts }: Pick<Node, 'accounts'>,
  address: Uint8Array,
  passphrase: string,
  use: (signer: AccountSigner) => T,
): Promise<T> {
  if (accounts.signer(address, undefined) === 'unknown')
    throw new RpcError('server', 'unknown account')
  return orAccountFailure(accounts.withPassphrase(address, passphrase, use))
}
