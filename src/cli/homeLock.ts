/** The lock of a node's home, and what a node may do on a file system that has none (D67). */
import { NoLockError } from '../base/kernelLock.ts'
import { UserError } from '../base/errors.ts'
import { takeLock, type HeldLock } from '../base/lock.ts'
import type { Home } from '../config/home.ts'
import type { NodeConfig } from '../config/node.ts'
import { loadGenesis } from '../consensus/files/genesis.ts'

export type HomeLock = Pick<HeldLock, 'wasLeft' | 'release'> & {
  /** Whether the kernel keeps other nodes from this home. */
  readonly isLocked: boolean
  /** What the operator risks; undefined where the home is locked. */
  readonly warning: string | undefined
}

/** Nothing is known about the last run, so it counts as one that was killed. */
const UNLOCKED = { wasLeft: true, release: () => undefined, isLocked: false } as const

/**
 * Takes the lock of a home. Without locks, a node goes on if a remote signer signs for it, or if `unsafe-no-lock` says so
 * and the chain has one validator. Throws UserError otherwise, and when another process holds the lock.
 */
export function lockHome(
  home: Pick<Home, 'nodeLock' | 'folder' | 'genesis'>,
  config: Pick<NodeConfig, 'priv-validator-laddr' | 'unsafe-no-lock'>,
): HomeLock {
  try {
    const lock = takeLock(home.nodeLock, home.folder)
    return { ...lock, isLocked: true, warning: undefined }
  } catch (error) {
    if (!(error instanceof NoLockError)) throw error
    if (config['priv-validator-laddr'] !== undefined)
      return {
        ...UNLOCKED,
        warning: `${error.message}. The remote signer keeps two nodes from signing, but nothing keeps a second one from this home, which would damage its store.`,
      }
    if (!config['unsafe-no-lock']) throw error
    if (loadGenesis(home.genesis).genesis.validators.length !== 1)
      throw new UserError(
        `${error.message}, and --unsafe-no-lock is for chains with one validator`,
        'Keep the home on a local disk, or let a remote signer sign (priv-validator-laddr): two nodes with one key would be slashed.',
      )
    return {
      ...UNLOCKED,
      warning: `${error.message}. --unsafe-no-lock: nothing keeps a second node from this home. If one starts, both sign, and the chain splits.`,
    }
  }
}
