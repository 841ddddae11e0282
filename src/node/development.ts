/** What is special about a development node: the check that it may be one, and the replacements of its parts (D56). */
import { UserError } from '../base/errors.ts'
import { impersonate } from '../chain/development/unsigned.ts'
import type { ChainRules } from '../chain/executed.ts'
import type { NodeConfig } from '../config/node.ts'
import type { Development } from '../consensus/development/development.ts'
import type { TransactionPool } from '../consensus/pool.ts'
import type { AccountSigner } from '../accounts/accounts.ts'
import type { NodeAccounts } from '../rpc/world.ts'
import { RpcError } from '../wire/errors.ts'
import { isLocalOnly } from '../wire/server.ts'

/** Throws UserError where `dev.enable` is not allowed: strangers could edit the state, or other nodes would diverge. */
export function requireDevelopment(
  config: NodeConfig,
  rules: ChainRules,
  validators: readonly unknown[],
): void {
  const off = 'Leave out --dev (dev.enable).'
  if (!isLocalOnly(config['json-rpc.address'], config['json-rpc.ws-address'], config['rpc.laddr']))
    throw new UserError('dev.enable is for loopback addresses only', off)
  if (validators.length !== 1)
    throw new UserError('dev.enable is for chains with one validator', off)
  if (rules.isDevelopment !== true)
    throw new UserError(
      'dev.enable: this chain was not created for development',
      `${off} Or create a new home folder: assay up --dev --home <folder>`,
    )
  if (config['consensus.engine'] !== 'embedded')
    throw new UserError('dev.enable is for the embedded engine only', off)
  if (config['priv-validator-laddr'] !== undefined)
    throw new UserError('dev.enable signs heights again, which no remote signer does', off)
  if (config.pruning !== 'nothing')
    throw new UserError('dev.enable needs every block: pruning must be "nothing"', off)
}

function noKey(): never {
  throw new RpcError('server', 'unknown account')
}

function impersonator(address: Uint8Array): AccountSigner {
  return {
    signMessage: noKey,
    signTypedData: noKey,
    signTransaction: (transaction) => impersonate(transaction, address),
  }
}

/** The accounts of a node, plus those that need no key. */
export function withImpersonation(
  accounts: NodeAccounts,
  { isImpersonated }: Pick<Development, 'isImpersonated'>,
): NodeAccounts {
  return {
    ...accounts,
    signer(address, principal) {
      const signer = accounts.signer(address, principal)
      return typeof signer === 'string' && isImpersonated(address) ? impersonator(address) : signer
    },
  }
}

/** A pool that responds once the transaction is in a block. */
export function withAutomining(
  pool: TransactionPool,
  { add }: Pick<Development, 'add'>,
): TransactionPool {
  return { ...pool, add }
}
