/** The database of a dispatcher's home, for commands that read or fill it as a whole. */
import fs from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { createLog } from '../../base/log.ts'
import { homePaths, type Home } from '../../config/home.ts'
import { dispatcherKeys } from '../../config/dispatcher.ts'
import { loadConfig } from '../../config/load.ts'
import { nodeKeys } from '../../config/node.ts'
import { addKeyOptions, flagsOf } from '../options.ts'
import { readUpFile } from '../upFile.ts'

/** Of the embedded server. */
const DATABASE = 'assay_dispatcher'

const KEYS = { 'dispatcher.pg_db_url': dispatcherKeys['dispatcher.pg_db_url'] }

/** Adds `--dispatcher.pg_db_url`. */
export function addDatabaseOption(command: Command): Command {
  addKeyOptions(command, KEYS)
  return command
}

/** The configured URL; empty if there is none. */
function configuredUrl(command: Command, home: Home): string {
  // The dispatcher's own command has the option, too, and gets the value.
  const lineage: Command[] = []
  for (let each: Command | null = command; each !== null; each = each.parent) lineage.unshift(each)
  const flags = lineage.flatMap((each) => Object.entries(flagsOf(each, KEYS)))
  const config = loadConfig(dispatcherKeys, {
    file: home.configFile,
    environment: process.env,
    flags: Object.fromEntries(flags),
    otherTables: [nodeKeys],
  })
  return config['dispatcher.pg_db_url']
}

/**
 * Runs `work` with the URL of the database: the configured one, that of a running `assay up`, or the one in the home, whose
 * server runs meanwhile. Throws UserError while another process serves the home's database.
 */
export async function withDatabaseUrl<T>(
  command: Command,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const home = homePaths(path.resolve(command.optsWithGlobals<{ home: string }>().home))
  const url = configuredUrl(command, home) || readUpFile(home.upFile)?.database
  if (url !== undefined) return work(url)
  fs.mkdirSync(home.folder, { recursive: true, mode: 0o700 })
  const { startEmbeddedPostgres } = await import('../../store/sql/embedded.ts')
  const log = createLog('postgres', 'error')
  const postgres = await startEmbeddedPostgres({ folder: home.postgres, log })
  try {
    return await work(postgres.url(DATABASE))
  } finally {
    await postgres.stop()
  }
}
