import type { AccountSigner } from '../../accounts/accounts.ts'
import { RpcError } from '../../wire/errors.ts'
import { accountFailure } from './accountErrors.ts'
import type { NodeAccounts } from '../world.ts'

/** An account may be locked between lookup and use. */
function inRpcWords<Argument, T>(use: (argument: Argument) => T): (argument: Argument) => T {
  return (argument) => {
    try {
      return use(argument)
    } catch (error) {
      throw accountFailure(error)
    }
  }
}

/** A signer for an unlocked account. Throws RpcError -32000 with go-ethereum's message when it is unknown or locked. */
export function requireSigner(
  accounts: NodeAccounts,
  address: Uint8Array,
  principal: string | undefined,
): AccountSigner {
  const signer = accounts.signer(address, principal)
  if (signer === 'unknown') throw new RpcError('server', 'unknown account')
  if (signer === 'locked') throw new RpcError('server', 'authentication needed: password or unlock')
  return {
    signMessage: inRpcWords(signer.signMessage),
    signTypedData: inRpcWords(signer.signTypedData),
    signTransaction: inRpcWords(signer.signTransaction),
  }
}
