import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createFakeClock, type FakeClock } from '../../../test/support/fakeClock.ts'
import {
  createKeyValueApplication,
  type KeyValueApplication,
} from '../../../test/support/keyValueApplication.ts'
import { createQueueMempool } from '../../../test/support/queueMempool.ts'
import { utf8 } from '../../base/bytes.ts'
import { ed25519Signer, verifyEd25519 } from '../../base/ed25519.ts'
import { sha256 } from '../../base/sha256.ts'
import { identifyBlock } from '../../proof/comet/block.ts'
import { commitHash } from '../../proof/comet/commit.ts'
import { dataHash, resultsHash } from '../../proof/comet/data.ts'
import { validatorsHash } from '../../proof/comet/validators.ts'
import { verifyCommit } from '../../proof/comet/verifyCommit.ts'
import type { Vote } from '../../proof/comet/vote.ts'
import { openKv, type Kv } from '../../store/kv.ts'
import { createGuardedClock } from '../clock/guardedClock.ts'
import { DEFAULT_PARAMS, genesisText } from '../files/genesis.ts'
import { createValidatorKey, type ValidatorKey } from '../files/keys.ts'
import { loadSignState, NO_SIGN_STATE, writeSignState } from '../files/signState.ts'
import { localSigner } from './sign.ts'
import { openEmbeddedEngine, type EmbeddedEngine, type EmbeddedEngineOptions } from './engine.ts'
import type { PublishedBlock } from './produce.ts'

const GENESIS_TIME = 1_800_000_000_000_000_000n
const CHAIN_ID = 'assay_271828-1'
const SECOND = 1_000_000_000n
const CRYPTO = { sha256, verifyEd25519 }

type Rig = {
  readonly folder: string
  readonly clock: FakeClock
  readonly key: ValidatorKey
  readonly genesisText: string
  readonly signStateFile: string
  readonly kv: Kv
  readonly application: KeyValueApplication
  readonly published: PublishedBlock[]
  readonly failures: unknown[]
}

const cleanUp: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const action of cleanUp.splice(0)) await action()
})

function createRig(): Rig {
  const folder = mkdtempSync(path.join(tmpdir(), 'assay-engine-'))
  const key = createValidatorKey(path.join(folder, 'key.json'), new Uint8Array(32).fill(7))
  const signStateFile = path.join(folder, 'priv_validator_state.json')
  writeSignState(signStateFile, NO_SIGN_STATE)
  const kv = openKv(path.join(folder, 'chain'))
  cleanUp.push(async () => {
    await kv.close()
    rmSync(folder, { recursive: true })
  })
  const text = genesisText({
    timeNs: GENESIS_TIME,
    chainId: CHAIN_ID,
    validators: [{ publicKey: key.signer.publicKey, power: 10n, name: 'only' }],
    appState: {},
    params: { ...DEFAULT_PARAMS, version: { app: 1n } },
  })
  return {
    folder,
    key,
    signStateFile,
    kv,
    clock: createFakeClock(GENESIS_TIME),
    genesisText: text,
    application: createKeyValueApplication(kv),
    published: [],
    failures: [],
  }
}

function start(rig: Rig, changes: Partial<EmbeddedEngineOptions> = {}): EmbeddedEngine {
  const engine = openEmbeddedEngine({
    ...rig,
    signer: localSigner(rig.key, CHAIN_ID),
    source: rig.application.source,
    mempool: createQueueMempool(rig.application),
    node: { id: '00'.repeat(20), moniker: 'test', listenAddress: '', rpcAddress: '' },
    production: 'manual',
    publish: (block) => rig.published.push(block),
    fatal: (error) => rig.failures.push(error),
    ...changes,
  })
  cleanUp.unshift(() => engine.stop())
  return engine
}

// Holds D20.
test('every block is what CometBFT would have made: hashes, links and signatures hold', async () => {
  const rig = createRig()
  const engine = start(rig)
  const { reader } = engine
  await engine.produceBlock()
  for (const text of ['a=1', 'b=2', 'c=3']) {
    await rig.clock.advance(300)
    expect((await engine.broadcast(utf8(text))).code).toBe(0)
    await engine.produceBlock()
  }
  expect(reader.height()).toBe(4)
  for (let height = 1; height <= 4; height++) {
    const stored = reader.block(height)
    const commit = reader.commit(height)
    const validators = reader.validators(height)
    if (stored === undefined || commit === undefined || validators === undefined)
      throw new Error(`height ${height} is incomplete`)
    const { header, txs, lastCommit } = stored.block
    expect(identifyBlock(sha256, stored.block)).toEqual({
      blockId: stored.blockId,
      size: stored.size,
    })
    expect(header.dataHash).toEqual(dataHash(sha256, txs))
    expect(header.lastCommitHash).toEqual(commitHash(sha256, lastCommit))
    expect(header.validatorsHash).toEqual(validatorsHash(sha256, validators))
    expect(header.version).toEqual({ block: 11n, app: 1n })
    verifyCommit(
      CRYPTO,
      reader.chainId,
      validators,
      { height, blockId: stored.blockId },
      commit.commit,
    )
    expect(commit.canonical).toBe(height < 4)
    expect(reader.heightOfBlock(stored.blockId.hash)).toBe(height)
    const before = reader.block(height - 1)
    if (before === undefined) continue
    expect(header.lastBlockId).toEqual(before.blockId)
    expect(header.appHash).toEqual(sha256(before.blockId.hash))
    const results = reader.results(height - 1)?.txResults ?? []
    expect(header.lastResultsHash).toEqual(resultsHash(sha256, results))
    expect(header.timeNs).toBe(lastCommit.signatures[0]?.timeNs)
  }
  expect(reader.block(2)?.block.txs).toEqual([utf8('a=1')])
  expect(reader.block(5)).toBeUndefined()
  expect(rig.published.map(({ height }) => height)).toEqual([1, 2, 3, 4])
})

test('times grow by a millisecond at least, also when the wall clock goes back', async () => {
  const rig = createRig()
  const engine = start(rig)
  await engine.produceBlock()
  rig.clock.setWallClock(GENESIS_TIME - 3600n * SECOND)
  for (let i = 0; i < 3; i++) await engine.produceBlock()
  const times = rig.published.map(({ block }) => block.header.timeNs)
  expect(times).toEqual([0n, 1n, 2n, 3n].map((step) => GENESIS_TIME + step * 1_000_000n))
})

// Holds D95.
test('a clock that jumps by 400 days leaves no trace in the times of blocks', async () => {
  const rig = createRig()
  const clock = createGuardedClock(rig.clock, {
    maxJump: 3_600_000,
    onStep: () => undefined,
    onHeld: () => undefined,
    uptime: () => rig.clock.monotonic(),
  })
  const engine = start(rig, { clock })
  for (let i = 0; i < 6; i++) {
    if (i === 2) rig.clock.setWallClock(rig.clock.now() + 400n * 86_400n * SECOND)
    if (i === 4) rig.clock.setWallClock(rig.clock.now() - 400n * 86_400n * SECOND)
    await rig.clock.advance(1000)
    await engine.produceBlock()
  }
  const times = rig.published.map(({ block }) => block.header.timeNs)
  expect(times).toEqual([0n, 1n, 2n, 3n, 4n, 5n].map((each) => GENESIS_TIME + each * SECOND))
})

// Holds D44.
test('blocks come every interval, and soon after a transaction', async () => {
  const rig = createRig()
  const engine = start(rig, { production: { gatherWindow: 20, blockInterval: 1000 } })
  await rig.clock.advance(0)
  await engine.ready
  expect(engine.reader.height()).toBe(1)
  await rig.clock.advance(999)
  expect(engine.reader.height()).toBe(1)
  await rig.clock.advance(1)
  expect(engine.reader.height()).toBe(2)
  await engine.broadcast(utf8('a=1'))
  await rig.clock.advance(19)
  await engine.broadcast(utf8('b=2'))
  expect(engine.reader.height()).toBe(2)
  await rig.clock.advance(1)
  expect(engine.reader.height()).toBe(3)
  expect(engine.reader.block(3)?.block.txs).toHaveLength(2)
})

// Holds D23.
test('after a long pause an empty block goes first, so that a transaction gets the present time', async () => {
  const rig = createRig()
  const engine = start(rig, { production: { gatherWindow: 20, blockInterval: 30_000 } })
  await rig.clock.advance(0)
  await engine.ready
  await rig.clock.advance(20_000)
  await engine.broadcast(utf8('a=1'))
  await rig.clock.advance(20)
  expect(engine.reader.height()).toBe(3)
  expect(rig.published.map(({ block }) => block.txs.length)).toEqual([0, 0, 1])
  expect(rig.published[2]?.block.header.timeNs).toBe(rig.clock.now())
})

test('a restart goes on from the last block', async () => {
  const rig = createRig()
  const first = start(rig)
  await first.produceBlock()
  await first.produceBlock()
  await first.stop()
  const second = start(rig)
  expect(second.reader.height()).toBe(2)
  await second.produceBlock()
  expect(second.reader.height()).toBe(3)
  expect(second.reader.block(3)?.block.header.lastBlockId).toEqual(second.reader.block(2)?.blockId)
})

// Holds D53.
test('a crash between the block and the sign state is healed at the next start', async () => {
  const rig = createRig()
  const first = start(rig)
  await first.produceBlock()
  const before = loadSignState(rig.signStateFile)
  await first.produceBlock()
  const after = loadSignState(rig.signStateFile)
  await first.stop()
  writeSignState(rig.signStateFile, before)
  const second = start(rig)
  expect(loadSignState(rig.signStateFile)).toEqual(after)
  await second.produceBlock()
  expect(second.reader.height()).toBe(3)
})

test('a sign state ahead of the data is refused', async () => {
  const rig = createRig()
  const engine = start(rig)
  await engine.produceBlock()
  await engine.stop()
  writeSignState(rig.signStateFile, { ...loadSignState(rig.signStateFile), height: 2 })
  expect(() => start(rig)).toThrow('at height 2, the block store at 1')
})

test('a sign state with another signature, or a much older one, is refused', async () => {
  const rig = createRig()
  const engine = start(rig)
  for (let i = 0; i < 3; i++) await engine.produceBlock()
  await engine.stop()
  const state = loadSignState(rig.signStateFile)
  const other = { signature: new Uint8Array(64), signBytes: new Uint8Array(3) }
  writeSignState(rig.signStateFile, { ...state, signed: other })
  expect(() => start(rig)).toThrow('different signatures for height 3')
  writeSignState(rig.signStateFile, { ...state, height: 1 })
  expect(() => start(rig)).toThrow('too old')
})

// Holds D98.
test('the block that a remote signer has signed is proposed again after a crash, not another one', async () => {
  const rig = createRig()
  const local = localSigner(rig.key, CHAIN_ID)
  const votes: Vote[] = []
  let isCrashing = true
  const signer = {
    ...local,
    isRemote: true,
    sign(vote: Vote) {
      votes.push(vote)
      // The signer has kept its signature; it never arrives.
      return isCrashing ? Promise.reject(new Error('crash')) : local.sign(vote)
    },
  }
  const first = start(rig, { signer })
  await first.broadcast(utf8('a=1'))
  await first.produceBlock()
  expect(rig.failures).toHaveLength(1)
  expect(rig.published).toHaveLength(0)

  isCrashing = false
  const second = start({ ...rig, application: createKeyValueApplication(rig.kv) }, { signer })
  await second.broadcast(utf8('b=2'))
  await second.produceBlock()
  expect(votes[1]?.blockId).toEqual(votes[0]?.blockId)
  expect(second.reader.block(1)?.block.txs).toEqual([utf8('a=1')])
  await second.produceBlock()
  expect(second.reader.block(2)?.block.txs).toEqual([utf8('b=2')])
})

test('a key that genesis does not name is refused', () => {
  const rig = createRig()
  const signer = ed25519Signer(new Uint8Array(32).fill(9))
  const key = { signer, address: sha256(signer.publicKey).slice(0, 20) }
  expect(() => start({ ...rig, key })).toThrow('only validator')
})

test('an engine that has stopped makes no block, whoever asks', async () => {
  const rig = createRig()
  const engine = start(rig)
  await engine.produceBlock()
  await engine.stop()
  await rig.kv.close()
  await engine.produceBlock()
  expect(rig.published).toHaveLength(1)
  expect(rig.failures).toEqual([])
})

// Holds D53.
test('when the store fails, nothing is written or announced and the process is told to end', async () => {
  const rig = createRig()
  const engine = start(rig)
  await engine.produceBlock()
  await engine.stop()
  const signStateBefore = loadSignState(rig.signStateFile)
  const broken = start(rig, {
    application: {
      ...rig.application,
      commit() {
        rig.application.commit()
        throw new Error('disk full')
      },
    },
  })
  await broken.produceBlock()
  await broken.produceBlock()
  expect(rig.failures.map(String)).toEqual(['Error: disk full'])
  expect(rig.published).toHaveLength(1)
  expect(loadSignState(rig.signStateFile)).toEqual(signStateBefore)
  await broken.stop()
  const healed = start({ ...rig, application: createKeyValueApplication(rig.kv) })
  expect(healed.reader.height()).toBe(1)
})

test('the queue answers in the words of CometBFT', async () => {
  const rig = createRig()
  const engine = start(rig)
  expect((await engine.broadcast(utf8('nonsense'))).log).toBe('expected key=value')
  await engine.broadcast(utf8('a=1'))
  await expect(engine.broadcast(utf8('a=1'))).rejects.toThrow('tx already exists in cache')
  await expect(engine.broadcast(new Uint8Array(1_048_577))).rejects.toThrow(
    'Tx too large. Max size is 1048576, but got 1048577',
  )
})
