/** What goes wrong with the store, as errors that say what to do. */
import { UserError } from '../base/errors.ts'
import { EXIT_DAMAGED } from '../base/exitCodes.ts'
import { toHex } from '../base/hex.ts'

/** The store can't be used. The message says why and what to do. */
export class KvError extends UserError {
  override readonly name: string = 'KvError'
}

/** The store's file is cut or no store. A restart would not help. */
export class KvFileError extends KvError {
  override readonly name = 'KvFileError'
  override readonly exitCode = EXIT_DAMAGED
}

/**
 * What the store holds is not what was written to it (D85). Nothing of it may be used: nothing is signed or served from
 * a store that has such a record.
 */
export class KvCorruptionError extends KvError {
  override readonly name = 'KvCorruptionError'
  override readonly exitCode = EXIT_DAMAGED
  readonly table: string
  /** Undefined when the tree is damaged, not one record of it. */
  readonly key: Uint8Array | undefined
  /** The end of a sentence: "does not match its checksum". */
  readonly reason: string

  constructor(table: string, key: Uint8Array | undefined, reason: string) {
    const what = key === undefined ? `table ${table}` : `record ${toHex(key)} of table ${table}`
    super(
      `the store is damaged: ${what} ${reason}`,
      'Stop the node and run: assay node check. It names what is damaged, and --repair mends it.',
    )
    this.table = table
    this.key = key
    this.reason = reason
  }
}
