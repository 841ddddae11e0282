/** Why CometBFT ended, from what it printed: a Go program ends with a stack, and its reason stands above that. */
import { UserError } from '../../base/errors.ts'
import type { LogEntry } from './logLine.ts'

/** Go prints its reason on one of these lines, before the stack. */
const REASON = /^(?:panic|fatal error|error): */i

/** Maximum length of a reason; CometBFT puts whole structures into some. */
const MAX_CHARACTERS = 1000

export type LastWords = {
  /** Reads the next entry of the log. */
  read(entry: LogEntry): void
  /** The reason so far; empty before the first error. */
  text(): string
}

/** For one run of CometBFT: the first line that Go ends with counts, and otherwise the last error. */
export function createLastWords(): LastWords {
  let text = ''
  let isFinal = false
  return {
    read({ level, message }) {
      if (level !== 'error' || isFinal || message.trim() === '') return
      isFinal = REASON.test(message)
      text = message.replace(REASON, '').slice(0, MAX_CHARACTERS)
    },
    text: () => text,
  }
}

const RESTORE = 'Restore the whole data folder from one backup.'
const RESTORE_OR_SYNC =
  'Restore the whole data folder from one backup. Or, on a network: move everything out of data/ except priv_validator_state.json, and start: the node gets the chain from its peers.'

/** Whether CometBFT ended because no remote signer had connected: a restart waits for it again. */
export function isSignerAway(reason: string): boolean {
  return reason.includes('private validator socket client') && reason.includes("can't get pubkey")
}

/** Ends that no restart mends, by a part of their reason. */
const HOPELESS: readonly (readonly [reason: RegExp, sentence: string, advice: string])[] = [
  [
    /app block height \((\d+)\) is higher than core \((\d+)\)/,
    'the chain of this home is at height $1, and the blocks that CometBFT keeps end at height $2: they were removed or are older',
    RESTORE_OR_SYNC,
  ],
  [
    /state\.AppHash does not match AppHash after replay/,
    'the state that CometBFT keeps is not that of the chain of this home: its files were removed, or come from another chain',
    RESTORE_OR_SYNC,
  ],
  [
    /state \((\d+)\) and store \((\d+)\) height mismatch/,
    "CometBFT's state.db is at height $1, and its blockstore.db at height $2: one of them was removed or is older",
    RESTORE_OR_SYNC,
  ],
  [
    /StoreBlockHeight \((\d+)\) > StateBlockHeight \+ 1 \((\d+)\)/,
    "CometBFT's blockstore.db is at height $1, and its state.db only before height $2: they do not belong together",
    RESTORE,
  ],
  [
    /StateBlockHeight \((\d+)\) > StoreBlockHeight \((\d+)\)/,
    "CometBFT's state.db is at height $1, and its blockstore.db only at height $2: blocks were removed or are older",
    RESTORE,
  ],
]

/** The error for a reason that a restart does not mend; undefined for any other. */
export function hopelessEnd(reason: string): UserError | undefined {
  for (const [pattern, sentence, advice] of HOPELESS) {
    const match = pattern.exec(reason)
    if (match !== null)
      return new UserError(
        sentence.replaceAll(/\$(\d)/g, (_all, group: string) => match[Number(group)] ?? ''),
        advice,
      )
  }
  return undefined
}
