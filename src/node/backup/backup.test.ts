// Holds D108 and D109.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openManualNode, writerTransaction } from '../../../test/support/manualNode.ts'
import { waitFor } from '../../../test/support/waitFor.ts'
import { developmentKeys } from '../../accounts/development.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'
import { migrateSchema } from '../../store/schema.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { completeHome } from '../../cli/newHome.ts'
import { homePaths, type Home } from '../../config/home.ts'
import { loadSignState, writeSignState } from '../../consensus/files/signState.ts'
import { checkHome } from '../mend.ts'
import { backupHome, type BackupReport } from './backup.ts'
import { encodeManifest, type Manifest } from './manifest.ts'
import { restoreHome, type RestoreOptions } from './restore.ts'

const BLOCKS = 20

let root: string
let home: Home
let repository: string
let nonce = 0

beforeEach(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-backup-'))
  home = homePaths(path.join(root, 'home'))
  repository = path.join(root, 'backups')
  nonce = 0
  await completeHome(home)
  await produce(home, BLOCKS)
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

/** Opens a chain as the start of a node does. */
function openNode(of: Home, options: Parameters<typeof openManualNode>[1] = {}) {
  const node = openManualNode(of.folder, options)
  migrateSchema(node.kv)
  return node
}

/** Runs the chain of a home for so many blocks, each with a transaction, and returns the last height and its root. */
async function produce(of: Home, blocks: number): Promise<{ height: number; root: string }> {
  const node = openNode(of)
  for (let block = 0; block < blocks; block++) {
    await node.pool.add(writerTransaction(nonce++))
    await node.engine.produceBlock()
  }
  const { reader } = node.store
  const header = reader.header(reader.latestHeight())
  await node.stop()
  return { height: header?.height ?? 0, root: toHexDigits(header?.stateRoot ?? new Uint8Array(0)) }
}

const sender = addressOfPrivateKey(developmentKeys()[0] ?? new Uint8Array(0))

const nothing = () => undefined

function backUp(options: Partial<Parameters<typeof backupHome>[0]> = {}): Promise<BackupReport> {
  return backupHome({
    home,
    folder: repository,
    signedHeader: () => Promise.reject(new Error('only asked on a network')),
    onProgress: nothing,
    ...options,
  })
}

function restore(options: Partial<RestoreOptions> = {}) {
  const restored = homePaths(path.join(root, 'restored'))
  return restoreHome({ home: restored, folder: repository, onProgress: nothing, ...options })
}

const withKey = (signState: string | undefined) => ({
  key: { keyFile: home.validatorKey, signState },
})

function chunkFiles(): readonly string[] {
  return fs
    .readdirSync(path.join(repository, 'chunks'), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(repository, 'chunks', name))
    .filter((file) => fs.statSync(file).isFile())
}

test('a restored chain has every block, proves its state by a signed header, and continues with its key', async () => {
  const { height } = await backUp()
  expect(height).toBe(BLOCKS - 1)
  const report = await restore(withKey(home.validatorState))
  expect(report.signed.height).toBe(BLOCKS)
  const restored = homePaths(path.join(root, 'restored'))
  // The last block is executed again with the commit that it has, so its signature is the same.
  const node = openNode(restored)
  await waitFor(() => expect(node.store.reader.latestHeight()).toBe(BLOCKS))
  const source = openNode(home)
  const [original, again] = [source, node].map(({ store: { reader }, engine }) => ({
    blocks: Array.from({ length: BLOCKS + 1 }, (_, height) => ({
      header: reader.header(height),
      receipts: reader.receipts(height),
      transactions: reader.transactions(height),
      record: engine.reader.block(height),
    })),
    accounts: Array.from({ length: BLOCKS + 1 }, (_, height) =>
      reader.stateAt(height).account(sender),
    ),
  }))
  expect(again).toEqual(original)
  await node.stop()
  await source.stop()
  const signState = (of: Home) => fs.readFileSync(of.validatorState, 'utf8')
  expect(signState(restored)).toBe(signState(home))
  const { height: last } = await produce(restored, 3)
  expect(last).toBe(BLOCKS + 3)
  const check = await checkHome(restored, false, nothing)
  expect(check).toMatchObject({ last: BLOCKS + 3, faults: [], notExecuted: undefined })
})

test('a backup holds no key, and a home restored from it has none', async () => {
  await backUp()
  await restore()
  const restored = homePaths(path.join(root, 'restored'))
  expect(fs.existsSync(restored.validatorKey)).toBe(false)
  expect(fs.existsSync(restored.validatorState)).toBe(false)
  const { value } = JSON.parse(fs.readFileSync(home.validatorKey, 'utf8')).priv_key
  const secret = Buffer.from(value, 'base64').subarray(0, 32)
  for (const file of chunkFiles()) {
    const bytes = fs.readFileSync(file)
    expect(bytes.includes(secret) || bytes.includes(value)).toBe(false)
    expect(fs.statSync(file).mode & 0o077).toBe(0)
  }
})

test('a later backup writes only what is new, and each of them can be restored', async () => {
  const first = await backUp()
  await produce(home, 2)
  const second = await backUp()
  expect(second.height).toBe(first.height + 2)
  const third = await backUp()
  expect(third.added.chunks).toBe(0)
  expect((await restore({ height: first.height })).height).toBe(first.height)
  const other = homePaths(path.join(root, 'other'))
  expect((await restore({ home: other })).height).toBe(second.height)
})

test('only as many backups are kept as asked for, with the chunks that they need', async () => {
  const first = await backUp()
  await produce(home, 2)
  await backUp({ keep: 1 })
  await expect(restore({ height: first.height })).rejects.toThrow('there is no backup of height')
  await restore()
  await checkHome(homePaths(path.join(root, 'restored')), false, nothing)
})

test('a key that signed what the backup lacks, or more than its sign state knows, is refused', async () => {
  await backUp()
  const stale = path.join(root, 'stale.json')
  writeSignState(stale, { ...loadSignState(home.validatorState), height: BLOCKS - 2 })
  await expect(restore(withKey(stale))).rejects.toThrow(
    'signed blocks that this file does not know',
  )
  await produce(home, 1)
  await expect(restore(withKey(home.validatorState))).rejects.toThrow(
    'blocks that the backup lacks',
  )
  // The refusals left nothing behind.
  expect(fs.existsSync(path.join(root, 'restored'))).toBe(false)
  await restore(withKey(undefined))
  const restored = homePaths(path.join(root, 'restored'))
  expect(loadSignState(restored.validatorState).height).toBe(BLOCKS)
  expect((await produce(restored, 1)).height).toBe(BLOCKS + 1)
})

test('a damaged or missing chunk is named, and a verifying backup writes it again', async () => {
  await backUp()
  for (const damage of ['damaged', 'missing'] as const)
    for (const file of chunkFiles()) {
      const bytes = fs.readFileSync(file)
      if (damage === 'missing') fs.rmSync(file)
      else {
        const flipped = Buffer.from(bytes)
        flipped[flipped.length >> 1] = (flipped[flipped.length >> 1] ?? 0) ^ 1
        fs.writeFileSync(file, flipped)
      }
      await expect(restore()).rejects.toThrow(`the chunk ${file} is ${damage}`)
      expect((await backUp({ isVerifying: true })).added.chunks).toBe(1)
      expect(fs.readFileSync(file).equals(bytes)).toBe(true)
    }
  await restore()
})

/** Replaces the manifest by one that a forger made fit. */
function forge(change: (manifest: Manifest) => Manifest): void {
  const folder = path.join(repository, 'backups')
  const [name = ''] = fs.readdirSync(folder)
  const manifest: Manifest = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'))
  fs.rmSync(path.join(folder, name))
  const forged = encodeManifest(change(manifest))
  fs.writeFileSync(path.join(folder, forged.name), forged.text)
}

function putChunk(bytes: Uint8Array) {
  const hash = toHexDigits(sha256(bytes))
  const folder = path.join(repository, 'chunks', hash.slice(0, 2))
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, hash), bytes)
  return { hash, size: bytes.length }
}

test('a forged state is refused, since its root is not the signed one', async () => {
  await backUp()
  forge((manifest) => ({
    ...manifest,
    state: manifest.state.map(({ hash }) => {
      const bytes = fs.readFileSync(path.join(repository, 'chunks', hash.slice(0, 2), hash))
      // The balance of the first account, in the middle of its record.
      bytes[30] = (bytes[30] ?? 0) ^ 1
      return putChunk(bytes)
    }),
  }))
  await expect(restore()).rejects.toThrow('the backup is not sound')
  expect(fs.existsSync(path.join(root, 'restored', 'config', 'genesis.json'))).toBe(false)
})

test('blocks that were exchanged are refused, though every chunk has its hash', async () => {
  await backUp()
  forge((manifest) => ({
    ...manifest,
    blocks: manifest.blocks.map((segment) => ({
      ...segment,
      chunks: segment.chunks.map(({ hash }) => {
        const bytes = fs.readFileSync(path.join(repository, 'chunks', hash.slice(0, 2), hash))
        bytes[bytes.length - 200] = (bytes[bytes.length - 200] ?? 0) ^ 1
        return putChunk(bytes)
      }),
    })),
  }))
  await expect(restore()).rejects.toThrow('the backup is not sound')
})

test('a header that somebody else trusts is compared', async () => {
  await backUp()
  const trustedHash = fromHex(`0x${'11'.repeat(32)}`)
  await expect(restore({ trustedHash })).rejects.toThrow('not the one that you trust')
  const { signed } = await restore()
  const other = homePaths(path.join(root, 'other'))
  await restore({ home: other, trustedHash: fromHex(`0x${signed.hash}`) })
})

test('a backup that is interrupted leaves the last one valid, and the next completes', async () => {
  const first = await backUp()
  await produce(home, 2)
  for (const step of ['Blocks', 'State']) {
    const interrupted = backUp({
      onProgress(at) {
        if (at === step) throw new Error('interrupted')
      },
    })
    await expect(interrupted).rejects.toThrow('interrupted')
    const restored = homePaths(path.join(root, step))
    expect((await restore({ home: restored })).height).toBe(first.height)
  }
  expect((await backUp()).height).toBe(first.height + 2)
})

test('an interrupted restore is not a home, and is repeated', async () => {
  await backUp()
  for (const step of ['Blocks', 'State', 'Checking blocks']) {
    const interrupted = restore({
      onProgress(at) {
        if (at === step) throw new Error('interrupted')
      },
    })
    await expect(interrupted).rejects.toThrow('interrupted')
    expect(fs.existsSync(path.join(root, 'restored', 'config', 'genesis.json'))).toBe(false)
  }
  await restore()
  await expect(restore()).rejects.toThrow('into a new home folder only')
})

test('a chain without a signed successor, another chain and a folder without backups are refused', async () => {
  const young = homePaths(path.join(root, 'young'))
  await completeHome(young)
  const node = openNode(young)
  await node.engine.produceBlock()
  await node.stop()
  const folder = path.join(root, 'young-backups')
  await expect(backUp({ home: young, folder })).rejects.toThrow('no two blocks yet')
  await expect(restore()).rejects.toThrow('has no backup')
  await backUp()
  nonce = 0
  await produce(young, 2)
  await expect(backUp({ home: young })).rejects.toThrow('backups of another chain')
})

test('a development chain is not backed up', async () => {
  const development = homePaths(path.join(root, 'development'))
  await completeHome(development, {}, { isDevelopment: true })
  await produce(development, 1)
  await expect(backUp({ home: development })).rejects.toThrow('a development chain')
})

test('a pruned chain is restored with the window that it keeps', async () => {
  const pruned = homePaths(path.join(root, 'pruned'))
  await completeHome(pruned)
  nonce = 0
  const node = openNode(pruned, {
    pruning: { states: 200, blocks: 300 },
    checkpointEvery: 8,
  })
  for (let block = 0; block < 700; block++) await node.engine.produceBlock()
  const { earliestHeight } = node.store.reader
  const kept = earliestHeight()
  await node.stop()
  expect(kept).toBeGreaterThan(1)
  const folder = path.join(root, 'pruned-backups')
  const { earliest } = await backUp({ home: pruned, folder })
  expect(earliest).toBeGreaterThan(kept)
  const restored = homePaths(path.join(root, 'restored'))
  await restore({
    folder,
    key: { keyFile: pruned.validatorKey, signState: pruned.validatorState },
  })
  const { height } = await produce(restored, 3)
  expect(height).toBe(703)
  expect(await checkHome(restored, false, nothing)).toMatchObject({ faults: [], last: 703 })
})
