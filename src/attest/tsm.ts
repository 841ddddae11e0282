/**
 * Reports of the platform through the kernel's configfs-tsm (Linux 6.7 and newer, Documentation/ABI/testing/configfs-tsm):
 * create an entry, write 64 bytes, read the report.
 */
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { codeOf, messageOf, UserError } from '../base/errors.ts'

const TSM_FOLDER = '/sys/kernel/config/tsm/report'

export type TsmReport = {
  /** Name of the kernel's driver: "tdx_guest", "sev_guest". */
  readonly provider: string
  /** The quote or report. */
  readonly report: Uint8Array
  /** Auxiliary data (certificates of SEV-SNP); empty if there is none. */
  readonly auxiliary: Uint8Array
}

/** Creates and removes entries. The kernel fills a new entry and empties it itself, unlike an ordinary folder. */
export type TsmEntries = { make(folder: string): void; remove(folder: string): void }

const KERNEL_ENTRIES: TsmEntries = { make: fs.mkdirSync, remove: fs.rmdirSync }

/** Whether this machine provides reports. */
export function hasTsm(folder: string = TSM_FOLDER): boolean {
  return fs.existsSync(folder)
}

/** The provider of this machine, found by creating an entry. Throws UserError if there is none. */
export function tsmProvider(folder: string = TSM_FOLDER, entries = KERNEL_ENTRIES): string {
  return withEntry(folder, entries, (entry) => readText(entry, 'provider'))
}

/** A report over `reportData` (64 bytes). Rejects with UserError if the machine provides none. */
export async function readTsmReport(
  reportData: Uint8Array,
  folder: string = TSM_FOLDER,
  entries: TsmEntries = KERNEL_ENTRIES,
): Promise<TsmReport> {
  return withEntry(folder, entries, (entry) => {
    fs.writeFileSync(path.join(entry, 'inblob'), reportData)
    const generation = readText(entry, 'generation')
    const report = fs.readFileSync(path.join(entry, 'outblob'))
    const auxiliary = readOptional(entry, 'auxblob')
    // Each change of the entry increments its generation: a report over another process's bytes would come with another
    // number.
    if (readText(entry, 'generation') !== generation)
      throw new UserError('another process wrote to the report while it was created')
    return { provider: readText(entry, 'provider'), report, auxiliary }
  })
}

function withEntry<Result>(
  folder: string,
  entries: TsmEntries,
  use: (entry: string) => Result,
): Result {
  const entry = path.join(folder, `assay-${randomUUID()}`)
  try {
    entries.make(entry)
  } catch (error) {
    throw new UserError(
      `this machine provides no platform reports: ${messageOf(error)}`,
      'Run the worker inside a TDX or SEV-SNP guest with Linux 6.7 or newer and configfs mounted, as root.',
    )
  }
  try {
    return use(entry)
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(`the platform gave no report: ${messageOf(error)}`)
  } finally {
    entries.remove(entry)
  }
}

function readText(entry: string, name: string): string {
  return fs.readFileSync(path.join(entry, name), 'utf8').trim()
}

function readOptional(entry: string, name: string): Uint8Array {
  try {
    return fs.readFileSync(path.join(entry, name))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return new Uint8Array()
    throw error
  }
}
