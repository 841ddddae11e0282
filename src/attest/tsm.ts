/**
 * Reports of the platform through the kernel's configfs-tsm (Linux 6.7 and newer, Documentation/ABI/testing/configfs-tsm):
 * an entry is made, 64 bytes go in, the report comes out.
 */
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { codeOf, messageOf, UserError } from '../base/errors.ts'

const TSM_FOLDER = '/sys/kernel/config/tsm/report'

export type TsmReport = {
  /** What the kernel's driver calls itself: "tdx_guest", "sev_guest". */
  readonly provider: string
  /** The quote or report. */
  readonly report: Uint8Array
  /** What came with it (certificates of SEV-SNP); empty where there is nothing. */
  readonly auxiliary: Uint8Array
}

/** How entries are made and taken away. The kernel fills a new entry and empties it itself, which an ordinary folder does not. */
export type TsmEntries = { make(folder: string): void; remove(folder: string): void }

const KERNEL_ENTRIES: TsmEntries = { make: fs.mkdirSync, remove: fs.rmdirSync }

/** Whether this machine gives reports. */
export function hasTsm(folder: string = TSM_FOLDER): boolean {
  return fs.existsSync(folder)
}

/** The provider of this machine, by an entry that is made for the question. Throws UserError where there is none. */
export function tsmProvider(folder: string = TSM_FOLDER, entries = KERNEL_ENTRIES): string {
  return withEntry(folder, entries, (entry) => readText(entry, 'provider'))
}

/** A report over `reportData` (64 bytes). Rejects with UserError where the machine gives none. */
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
    // Each change of the entry counts up: a report of somebody else's bytes would come with another number.
    if (readText(entry, 'generation') !== generation)
      throw new UserError('somebody else wrote to the report while it was made')
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
      `this machine gives no reports of its platform: ${messageOf(error)}`,
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
