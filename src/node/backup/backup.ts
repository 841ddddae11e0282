/**
 * `assay node backup`: the chain of a home, while its node runs. Blocks are final, so each is read once: a later backup
 * reads only newer ones. The state is read completely, and the chunks of it that changed are written. The backup holds the
 * state before the last block, since that block's signed header proves it, and the last block itself (D108).
 */
import { equalBytes, utf8 } from '../../base/bytes.ts'
import { UserError } from '../../base/errors.ts'
import { writeFileAtomic } from '../../base/files.ts'
import { StateUnavailableError } from '../../chain/reader.ts'
import type { Home } from '../../config/home.ts'
import { packBlocks, packState } from '../../ledger/backup/chunks.ts'
import { codeEntries, extentOf, stateEntries, type Extent } from '../../ledger/backup/read.ts'
import type { LightBlock, Provider } from '../../proof/comet/light/types.ts'
import { readSchemaVersion } from '../../store/schema.ts'
import { openOffline, type OfflineChain } from '../offline.ts'
import { copyCometFiles } from './cometFiles.ts'
import { edgeEntries } from './edge.ts'
import { chunksOf, decodeSigned, encodeSigned, type Chunk, type Manifest } from './manifest.ts'
import { openRepository, type Added, type Repository } from './repository.ts'
import { backUpBlocks, numberOf, TABLE_NAMES } from './segments.ts'
import { signedEmbedded, verifySigned } from './signed.ts'

export type BackupOptions = {
  readonly home: Home
  /** Folder of the backups. */
  readonly folder: string
  /** Keeps so many backups; all if absent. */
  readonly keep?: number | undefined
  /** Reads what earlier backups wrote, and replaces what is damaged. */
  readonly isVerifying?: boolean
  /** Signed headers with their validators, from CometBFT; only asked on a network. */
  readonly signedHeader: Provider
  readonly onProgress: (step: string, done: number, of: number) => void
}

export type BackupReport = {
  readonly height: number
  readonly earliest: number
  /** Size of everything that the backup needs, and what of it is new. */
  readonly bytes: number
  readonly added: Readonly<Added>
}

function overtaken(what: string): UserError {
  return new UserError(`${what} while the backup was made`, 'Run the backup again.')
}

/** Waits for a block whose state has a signed successor. Everything that is read next is of one snapshot. */
function extentToBackUp({ kv, tables, genesisState }: OfflineChain): Extent {
  if (genesisState.rules.isDevelopment === true)
    throw new UserError(
      'a development chain is not backed up: its blocks can be taken back',
      'Use evm_snapshot, or a chain without --dev.',
    )
  kv.refresh()
  const extent = extentOf(tables)
  if (extent !== undefined && extent.tip > Math.max(1, extent.earliest)) return extent
  throw new UserError(
    'the chain has no two blocks yet: the state before the last one is proven by its header',
    'Run the backup after the second block.',
  )
}

/** The latest backup in the folder, if it is of this chain as it is now. Throws UserError if it is of another one. */
function earlierBackup(
  repository: Repository,
  { reader, genesis }: OfflineChain,
  genesisChunk: Chunk,
): Manifest | undefined {
  if (repository.heights().length === 0) return undefined
  const earlier = repository.manifest()
  if (earlier.genesis.hash !== genesisChunk.hash || earlier.chainId !== genesis.genesis.chainId)
    throw new UserError(
      'the folder has backups of another chain',
      'Choose another folder for the backups of this home.',
    )
  const header = reader.header(earlier.height)
  const known = decodeSigned(earlier.signed).header.lastBlockId.hash
  return header !== undefined && equalBytes(header.hash, known) ? earlier : undefined
}

/** Throws UserError if blocks went missing or were replaced meanwhile. */
function requireUnchanged(
  { kv, tables, reader }: OfflineChain,
  before: Extent,
  signed: LightBlock,
) {
  kv.refresh()
  if (extentOf(tables)?.rollbacks !== before.rollbacks) throw overtaken('blocks were taken back')
  const header = reader.header(signed.header.height - 1)
  if (header === undefined || !equalBytes(header.hash, signed.header.lastBlockId.hash))
    throw overtaken('blocks were replaced')
}

async function writeBackup(
  repository: Repository,
  chain: OfflineChain,
  options: BackupOptions,
): Promise<BackupReport> {
  const { kv, tables, genesis, blocks } = chain
  const genesisChunk = repository.put(utf8(genesis.text))
  const earlier = earlierBackup(repository, chain, genesisChunk)
  const schema = readSchemaVersion(kv) ?? 0
  // One snapshot, up to the next refresh: the last block, and the engine's position at it.
  const extent = extentToBackUp(chain)
  const height = extent.tip - 1
  const engine = blocks.state() === undefined ? 'cometbft' : 'embedded'
  const edge = [...edgeEntries(chain, extent.tip, numberOf)]
  const own = engine === 'embedded' ? signedEmbedded(blocks, extent.tip) : undefined
  const signed = own ?? (await options.signedHeader(extent.tip))
  verifySigned(genesis.genesis.chainId, signed)

  const { onProgress } = options
  const segments = backUpBlocks(repository, chain, extent, height, earlier, onProgress)
  const put = (chunk: Uint8Array): Chunk => repository.put(chunk)
  const numbers = {
    accounts: numberOf('accounts'),
    slots: numberOf('slots'),
    codes: numberOf('codes'),
  }
  onProgress('State', 0, 1)
  const state = Array.from(packState(stateEntries(kv, tables, height, numbers)), put)
  const codes = Array.from(packState(codeEntries(kv, tables, numbers.codes)), put)
  onProgress('State', 1, 1)
  requireUnchanged(chain, extent, signed)
  kv.release()
  const heightNow = async () => (await options.signedHeader('latest')).header.height
  const files =
    engine === 'cometbft'
      ? await copyCometFiles(options.home.data, repository, earlier?.files ?? [], heightNow)
      : []
  const manifest = {
    schema,
    engine,
    chainId: genesis.genesis.chainId,
    genesis: genesisChunk,
    height,
    earliest: extent.earliest,
    earliestState: extent.earliestState,
    signed: encodeSigned(signed),
    tables: TABLE_NAMES,
    blocks: segments,
    state,
    codes,
    edge: Array.from(packBlocks(edge), put),
    files,
  } as const
  repository.finish(manifest, options.keep)
  const bytes = sizeOf(repository.manifest(height))
  return { height, earliest: extent.earliest, bytes, added: repository.added }
}

function sizeOf(manifest: Manifest): number {
  return [...chunksOf(manifest).values()].reduce((sum, { size }) => sum + size, 0)
}

/** Makes a backup of a home's chain. Its node may be running. Throws UserError. */
export async function backupHome(options: BackupOptions): Promise<BackupReport> {
  const { home, folder, isVerifying = false } = options
  const chain = openOffline(home, { readOnly: true, holdsSnapshots: true })
  try {
    const repository = openRepository(folder, { isWriting: true, isVerifying })
    try {
      const report = await writeBackup(repository, chain, options).catch((error: unknown) => {
        if (error instanceof StateUnavailableError) throw overtaken(error.message)
        throw error
      })
      const note = { height: report.height, time: Math.floor(Date.now() / 1000) }
      writeFileAtomic(home.lastBackup, JSON.stringify(note))
      return report
    } finally {
      repository.close()
    }
  } finally {
    await chain.kv.close()
  }
}
