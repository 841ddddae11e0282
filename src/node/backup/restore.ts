/**
 * `assay node restore`: a home from a backup. The chain is built beside its final place and moved there once everything
 * has been checked: each chunk's hash, the state's root against the signed header, the blocks against each other and
 * their signatures. The home gets no validator key unless one is given (D109).
 */
import fs from 'node:fs'
import path from 'node:path'
import { equalBytes } from '../../base/bytes.ts'
import { messageOf, UserError } from '../../base/errors.ts'
import { syncFolder, writeFileAtomic } from '../../base/files.ts'
import { toUpperHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { parseGenesis as parseGenesisState } from '../../chain/genesis.ts'
import type { Home } from '../../config/home.ts'
import { beforeLastBlock } from '../../consensus/embedded/rollback.ts'
import { openBlockStore, ENGINE_TABLES } from '../../consensus/embedded/blockStore.ts'
import { parseGenesis } from '../../consensus/files/genesis.ts'
import { createNodeKey } from '../../consensus/files/keys.ts'
import { unpackEntries } from '../../ledger/backup/chunks.ts'
import { BLOCK_TABLES } from '../../ledger/backup/read.ts'
import { rebuildFromBackup } from '../../ledger/backup/rebuild.ts'
import { heightKey, readHeight } from '../../ledger/blocks/heightKey.ts'
import { decodeDecided } from '../../ledger/blocks/transactionsRecord.ts'
import { openAddressIndex } from '../../ledger/events/addressIndex.ts'
import { CorruptRecordError } from '../../ledger/records/reader.ts'
import { BadSnapshotError } from '../../ledger/snapshot/badSnapshot.ts'
import { openChainReader } from '../../ledger/store.ts'
import { openChainTables } from '../../ledger/tables.ts'
import type { LightBlock } from '../../proof/comet/light/types.ts'
import { openKv, type Kv } from '../../store/kv.ts'
import { migrateSchema, SCHEMA_STEPS } from '../../store/schema.ts'
import { checkBlocks, firstBlock } from '../check.ts'
import { decodeSigned, type Chunk, type Manifest } from './manifest.ts'
import { openRepository, type Repository } from './repository.ts'
import { checkedKey, type GivenKey } from './restoreKey.ts'
import { verifySigned } from './signed.ts'

export type RestoreOptions = {
  readonly home: Home
  readonly folder: string
  /** Of the backup; the latest one if absent. */
  readonly height?: number | undefined
  /** The hash that the signed header must have, 32 bytes. */
  readonly trustedHash?: Uint8Array | undefined
  readonly key?: GivenKey | undefined
  readonly onProgress: (step: string, done: number, of: number) => void
}

export type RestoreReport = {
  readonly height: number
  /** Of the signed header, which is one block higher. */
  readonly signed: { readonly height: number; readonly hash: string }
  readonly engine: Manifest['engine']
}

/** In a folder with this file, everything is left of a restore that did not finish. */
const markOf = ({ data }: Home): string => path.join(data, 'restoring')

function requireEmpty(home: Home): void {
  if (fs.existsSync(markOf(home))) return
  const { genesis, chainStore, validatorKey, validatorState } = home
  const found = [genesis, chainStore, validatorKey, validatorState].find((file) =>
    fs.existsSync(file),
  )
  if (found === undefined) return
  throw new UserError(
    `${found} exists: a backup is restored into a new home folder only`,
    'Restore into a folder that does not exist yet, then exchange the two.',
  )
}

function requireSchema({ schema, program }: Manifest): void {
  const own = SCHEMA_STEPS.length + 1
  if (schema === own) return
  throw new UserError(
    `the backup has schema version ${schema}, this program reads version ${own}`,
    `Restore it with version ${program}, which wrote it; then ${schema < own ? 'start the home with this program, which migrates it' : 'update this program'}.`,
  )
}

const BY_HEIGHT: ReadonlySet<string> = new Set([...BLOCK_TABLES, ENGINE_TABLES.blocks])

/** Writes the records of chunks as they are; those that the backup's own floors exclude are left out. */
function putChunk(kv: Kv, { tables, earliest, earliestState }: Manifest, bytes: Uint8Array): void {
  const opened = tables.map((name) => kv.table(name))
  kv.write(() => {
    for (const { table, key, value } of unpackEntries(bytes)) {
      const [name, target] = [tables[table], opened[table]]
      if (name === undefined || target === undefined)
        throw new CorruptRecordError(`a chunk names table ${table}, which the backup does not have`)
      const height = BY_HEIGHT.has(name) ? readHeight(key) : undefined
      if (height !== undefined && height > 0 && height < earliest) continue
      if (name === 'changesets' && height !== undefined && height <= earliestState) continue
      target.put(key, value)
    }
  })
}

type Source = { readonly repository: Repository; readonly manifest: Manifest; readonly kv: Kv }

function putChunks(
  { repository, manifest, kv }: Source,
  step: string,
  chunks: readonly Chunk[],
  onProgress: RestoreOptions['onProgress'],
): void {
  for (const [index, chunk] of chunks.entries()) {
    putChunk(kv, manifest, repository.get(chunk))
    onProgress(step, index + 1, chunks.length)
  }
}

/** The embedded engine at the height of the state, with the block after it to execute again (D108). */
function placeEngine({ kv, manifest }: Source, genesisText: string, signed: LightBlock): void {
  const blocks = openBlockStore(kv)
  const genesis = parseGenesis('genesis.json', genesisText)
  const record = openChainTables(kv).transactions.get(heightKey(signed.header.height))
  const txs = record === undefined ? [] : decodeDecided(record).map(({ raw }) => raw.slice())
  kv.write(() => blocks.indexBlocks(Math.max(1, manifest.earliest), signed.header.height))
  const { before, last } = beforeLastBlock(blocks, genesis, () => txs)
  kv.write(() => blocks.rollback(before, last))
}

async function build(source: Source, genesisText: string, options: RestoreOptions): Promise<void> {
  const { kv, manifest } = source
  const { onProgress } = options
  const tables = openChainTables(kv)
  const signed = decodeSigned(manifest.signed)
  const blocks = manifest.blocks.flatMap(({ chunks }) => chunks)
  putChunks(source, 'Blocks', blocks, onProgress)
  putChunks(source, 'State', manifest.state, onProgress)
  putChunks(source, 'Last block', manifest.edge, onProgress)
  onProgress('Building the state trie and the indexes', 0, 1)
  await rebuildFromBackup(
    kv,
    tables,
    { height: manifest.height, stateRoot: signed.header.appHash },
    manifest,
    sha256,
  )
  // The trie was checked to have exactly the codes of its accounts: these are of earlier heights.
  putChunks(source, 'Codes', manifest.codes, onProgress)
  if (manifest.engine === 'embedded') placeEngine(source, genesisText, signed)
  // The block after is executed again, which writes this record.
  const after = heightKey(signed.header.height)
  kv.write(() => tables.transactions.remove(after))
}

function requireSignedBlock(manifest: Manifest, signed: LightBlock, wanted?: Uint8Array): void {
  verifySigned(manifest.chainId, signed)
  if (signed.header.height !== manifest.height + 1)
    throw new UserError('the signed header of the backup is not that of the next block')
  const { hash } = signed.commit.blockId
  if (wanted !== undefined && !equalBytes(wanted, hash))
    throw new UserError(
      `header ${signed.header.height} of the backup has the hash ${toUpperHexDigits(hash)}, not the one that you trust`,
      'The backup is of another chain, or forged.',
    )
}

function unsound(what: string): UserError {
  return new UserError(
    `the backup is not sound: ${what}`,
    'Restore an earlier backup: assay node restore --height.',
  )
}

/** Checks every block as `assay node check` does, apart from its execution. Throws UserError. */
function checkRestored(
  kv: Kv,
  manifest: Manifest,
  genesisText: string,
  onProgress: RestoreOptions['onProgress'],
): void {
  const { chainId, appState } = parseGenesis('genesis.json', genesisText)
  const { rules } = parseGenesisState(chainId, appState)
  const reader = openChainReader(kv, { chainId: rules.chainId, sha256 })
  const addresses = openAddressIndex(kv)
  addresses.catchUp(reader)
  const chain = {
    chainId,
    reader,
    blocks: openBlockStore(kv),
    addresses,
    tables: openChainTables(kv),
  }
  const first = firstBlock(reader)
  const { decided, derived } = checkBlocks(chain, first, manifest.height, (height) =>
    onProgress('Checking blocks', height - first + 1, manifest.height - first + 1),
  )
  const [fault] = [...decided, ...derived]
  if (fault !== undefined) throw unsound(fault)
}

/** Builds, checks and syncs the store of the chain at its final place. */
async function placeStore(
  repository: Repository,
  manifest: Manifest,
  genesis: string,
  options: RestoreOptions,
): Promise<void> {
  const { chainStore } = options.home
  const building = `${chainStore}.restoring`
  for (const folder of [building, chainStore]) fs.rmSync(folder, { recursive: true, force: true })
  const kv = openKv(building, { isScratch: true })
  try {
    await build({ repository, manifest, kv }, genesis, options)
    checkRestored(kv, manifest, genesis, options.onProgress)
  } catch (error) {
    if (!(error instanceof CorruptRecordError || error instanceof BadSnapshotError)) throw error
    throw unsound(messageOf(error))
  } finally {
    await kv.close()
  }
  const durable = openKv(building)
  // This commit syncs everything that was written before it.
  migrateSchema(durable)
  await durable.close()
  fs.renameSync(building, chainStore)
  syncFolder(path.dirname(chainStore))
}

/** Makes the home. After an interrupted run, run it again. Throws UserError. */
export async function restoreHome(options: RestoreOptions): Promise<RestoreReport> {
  const { home, folder, height, trustedHash, key } = options
  requireEmpty(home)
  const repository = openRepository(folder, { isWriting: false })
  const manifest = repository.manifest(height)
  const { chainId, engine } = manifest
  requireSchema(manifest)
  const signed = decodeSigned(manifest.signed)
  requireSignedBlock(manifest, signed, trustedHash)
  const installKey = key && checkedKey(key, chainId, signed, engine)
  const genesis = new TextDecoder().decode(repository.get(manifest.genesis))
  for (const each of [home.config, home.data]) fs.mkdirSync(each, { recursive: true, mode: 0o700 })
  writeFileAtomic(markOf(home), '')
  await placeStore(repository, manifest, genesis, options)
  restoreFiles(repository, manifest, home)
  installKey?.(home)
  // The identity among peers; nothing is lost with the old one.
  createNodeKey(home.nodeKey)
  // Last but for the mark: a folder without it is not a home.
  writeFileAtomic(home.genesis, genesis, 0o644)
  fs.rmSync(markOf(home))
  syncFolder(home.data)
  const hash = toUpperHexDigits(signed.commit.blockId.hash)
  return { height: manifest.height, signed: { height: signed.header.height, hash }, engine }
}

function restoreFiles(repository: Repository, { files }: Manifest, { data }: Home): void {
  for (const { path: name, chunks } of files) {
    const file = path.resolve(data, name)
    if (!file.startsWith(`${path.resolve(data)}${path.sep}`))
      throw new UserError(`the backup has a file outside its folder: ${name}`)
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    writeFileAtomic(file, Buffer.concat(chunks.map((chunk) => repository.get(chunk))))
  }
}
