/** What a file or folder that the system refuses means for the person who started the program. */
import { codeOf, UserError } from '../base/errors.ts'

type Refusal = { readonly what: string; readonly advice: string }

const OTHER_HOME = 'or choose another --home'

const REFUSALS: Readonly<Record<string, Refusal>> = {
  EROFS: {
    what: 'its file system is read-only',
    advice: `Mount it writable (after a fault of the disk the system makes it read-only: look into its log first), ${OTHER_HOME}.`,
  },
  EACCES: {
    what: 'this user has no permission',
    advice: `Give it to this user with chown, run as its owner, ${OTHER_HOME}.`,
  },
  EPERM: {
    what: 'the system does not permit it',
    advice: `Check owner, attributes (lsattr) and security policy of the file, ${OTHER_HOME}.`,
  },
  ENOSPC: { what: 'the disk is full', advice: 'Free up space, and run the same command again.' },
  EDQUOT: {
    what: 'the quota of this user is used up',
    advice: 'Free up space, or raise the quota, and run the same command again.',
  },
  EIO: {
    what: 'its disk fails',
    advice: 'Look into the log of the system, and restore a backup on another disk if it persists.',
  },
  EMFILE: {
    what: 'this process may open no more files',
    advice: 'Raise the limit (ulimit -n, or LimitNOFILE of the systemd unit).',
  },
  ENFILE: {
    what: 'this machine may open no more files',
    advice: 'Raise fs.file-max, or end other programs.',
  },
  ENOTDIR: {
    what: 'a part of its path is a file, not a folder',
    advice: 'Check the path.',
  },
}

/** The file that an error of the file system is about, or undefined. */
function pathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string'
    ? error.path
    : undefined
}

/** A sentence with advice in place of an error of the file system; any other value as it is. */
export function explained(error: unknown): unknown {
  if (error instanceof UserError) return error
  const file = pathOf(error)
  const refusal = REFUSALS[codeOf(error) ?? '']
  if (file === undefined || refusal === undefined) return error
  return new UserError(`${file} cannot be used: ${refusal.what}`, refusal.advice)
}
