import * as cosmjs from 'cosmjs-types/tendermint/abci/types'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ProtobufError } from '../../proof/comet/protobuf.ts'
import { ZERO_TIME_NS } from '../../proof/comet/types.ts'
import type { ApplicationEvent, ExecTxResult } from '../application.ts'
import { decodeRequest } from './request.ts'
import { encodeResponse } from './response.ts'

// Everything is compared with cosmjs-types, whose codecs are generated from CometBFT's own schema.
const NANOS = 1_000_000_000n
const bytes = fc.uint8Array({ maxLength: 40 }).map((value) => Uint8Array.from(value))
const text = fc.string({ unit: 'binary', maxLength: 20 })
// cosmjs-types 0.11.0 encodes 2^31 … 2^32-1 as zero, so it cannot serve as a reference for these.
const isJudged = (value: bigint) => value < 2n ** 31n || value >= 2n ** 32n
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter(isJudged)
const natural = fc.nat({ max: 2 ** 40 }).filter((value) => isJudged(BigInt(value)))
const time = fc.bigInt({ min: ZERO_TIME_NS, max: (2n ** 31n - 1n) * NANOS })
const txs = fc.array(bytes, { maxLength: 5 })
const flag = fc.constantFrom(1 as const, 2 as const, 3 as const)

function timestamp(timeNs: bigint) {
  const nanos = ((timeNs % NANOS) + NANOS) % NANOS
  return { seconds: (timeNs - nanos) / NANOS, nanos: Number(nanos) }
}

const votes = fc.array(fc.record({ validatorAddress: bytes, power: int64, blockIdFlag: flag }), {
  maxLength: 4,
})
const misbehavior = fc.record({
  type: fc.constantFrom('duplicate-vote' as const, 'light-client-attack' as const),
  validatorAddress: bytes,
  validatorPower: int64,
  height: natural,
  time,
  totalVotingPower: int64,
})
const commitInfo = fc.record({ round: fc.nat({ max: 2 ** 31 - 1 }), votes })
const block = fc.record({
  txs,
  decidedLastCommit: commitInfo,
  misbehavior: fc.array(misbehavior, { maxLength: 3 }),
  hash: bytes,
  height: natural,
  time,
  nextValidatorsHash: bytes,
  proposerAddress: bytes,
})
type Block = typeof block extends fc.Arbitrary<infer T> ? T : never

function theirs({ decidedLastCommit, misbehavior: faults, ...rest }: Block) {
  return {
    ...rest,
    height: BigInt(rest.height),
    time: timestamp(rest.time),
    misbehavior: faults.map((each) => ({
      type: each.type === 'duplicate-vote' ? 1 : 2,
      validator: { address: each.validatorAddress, power: each.validatorPower },
      height: BigInt(each.height),
      time: timestamp(each.time),
      totalVotingPower: each.totalVotingPower,
    })),
    commit: {
      round: decidedLastCommit.round,
      votes: decidedLastCommit.votes.map((vote) => ({
        validator: { address: vote.validatorAddress, power: vote.power },
        blockIdFlag: vote.blockIdFlag as number,
        voteExtension: new Uint8Array(0),
        extensionSignature: new Uint8Array(0),
      })),
    },
  }
}

/** Encoded by the reference, decoded by us. */
const request = (value: object) =>
  decodeRequest(cosmjs.Request.encode(cosmjs.Request.fromPartial(value)).finish())

test('proposals and decided blocks are read as CometBFT writes them', () => {
  fc.assert(
    fc.property(block, (ours) => {
      const { commit, ...rest } = theirs(ours)
      expect(request({ finalizeBlock: { ...rest, decidedLastCommit: commit } })).toEqual({
        type: 'finalizeBlock',
        block: ours,
      })
      expect(request({ processProposal: { ...rest, proposedLastCommit: commit } })).toEqual({
        type: 'processProposal',
        block: ours,
      })
    }),
  )
})

test('a call for a proposal is read as CometBFT writes it', () => {
  fc.assert(
    fc.property(block, natural, (ours, maxTxBytes) => {
      const { commit, hash: _hash, ...rest } = theirs(ours)
      const { hash: _ours, decidedLastCommit: localLastCommit, ...expected } = ours
      expect(
        request({
          prepareProposal: { ...rest, localLastCommit: commit, maxTxBytes: BigInt(maxTxBytes) },
        }),
      ).toEqual({ type: 'prepareProposal', request: { ...expected, localLastCommit, maxTxBytes } })
    }),
  )
})

test('InitChain is read with its parameters and validators', () => {
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((value) => Uint8Array.from(value))
  fc.assert(
    fc.property(
      fc.record({
        time,
        chainId: text,
        consensusParams: fc.record({
          block: fc.record({ maxBytes: int64, maxGas: int64 }),
          evidence: fc.record({
            maxAgeNumBlocks: int64,
            maxAgeDurationNs: fc.bigInt({ min: 0n, max: 2n ** 60n }),
            maxBytes: int64,
          }),
          validator: fc.record({ publicKeyTypes: fc.array(text, { maxLength: 3 }) }),
          version: fc.record({ app: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).filter(isJudged) }),
          abci: fc.record({ voteExtensionsEnableHeight: int64 }),
        }),
        validators: fc.array(
          fc.record({ type: fc.constant('ed25519' as const), publicKey: key, power: int64 }),
          { maxLength: 4 },
        ),
        appState: bytes,
        initialHeight: natural,
      }),
      (ours) => {
        const { consensusParams: params } = ours
        const age = params.evidence.maxAgeDurationNs
        const read = request({
          initChain: {
            time: timestamp(ours.time),
            chainId: ours.chainId,
            consensusParams: {
              block: params.block,
              evidence: {
                ...params.evidence,
                maxAgeDuration: { seconds: age / NANOS, nanos: Number(age % NANOS) },
              },
              validator: { pubKeyTypes: [...params.validator.publicKeyTypes] },
              version: params.version,
              abci: params.abci,
            },
            validators: ours.validators.map(({ publicKey, power }) => ({
              pubKey: { ed25519: publicKey },
              power,
            })),
            appStateBytes: ours.appState,
            initialHeight: BigInt(ours.initialHeight),
          },
        })
        expect(read).toEqual({ type: 'initChain', request: ours })
      },
    ),
  )
})

test('the small requests are read', () => {
  expect(request({ echo: { message: 'hello' } })).toEqual({ type: 'echo', message: 'hello' })
  expect(request({ flush: {} })).toEqual({ type: 'flush' })
  expect(request({ info: { version: '0.38.25' } })).toEqual({ type: 'info' })
  expect(request({ commit: {} })).toEqual({ type: 'commit' })
  expect(request({ listSnapshots: {} })).toEqual({ type: 'listSnapshots' })
  const tx = Uint8Array.of(1, 2)
  expect(request({ checkTx: { tx, type: 1 } })).toEqual({ type: 'checkTx', tx, recheck: true })
  expect(request({ query: { path: '/a', data: tx, height: 5n, prove: true } })).toEqual({
    type: 'query',
    request: { path: '/a', data: tx, height: 5, prove: true },
  })
  const snapshot = { format: 1, chunks: 2, hash: tx, metadata: tx }
  expect(
    request({ offerSnapshot: { snapshot: { ...snapshot, height: 9n }, appHash: tx } }),
  ).toEqual({
    type: 'offerSnapshot',
    request: { snapshot: { ...snapshot, height: 9 }, appHash: tx },
  })
  expect(request({ loadSnapshotChunk: { height: 9n, format: 1, chunk: 3 } })).toEqual({
    type: 'loadSnapshotChunk',
    request: { height: 9, format: 1, chunk: 3 },
  })
  expect(request({ applySnapshotChunk: { index: 3, chunk: tx, sender: 'peer' } })).toEqual({
    type: 'applySnapshotChunk',
    request: { index: 3, chunk: tx, sender: 'peer' },
  })
  expect(() => decodeRequest(new Uint8Array(0))).toThrow('a request has exactly one kind')
  expect(() => decodeRequest(Uint8Array.of(0xba, 0x01, 0))).toThrow('request 23 is unknown')
  // Not in cosmjs-types: fields 21 and 22 of `Request` in CometBFT v0.40.0, abci/types.proto.
  expect(decodeRequest(Uint8Array.of(0xaa, 0x01, 4, 0x0a, 2, 1, 2))).toEqual({
    type: 'insertTx',
    tx,
  })
  expect(decodeRequest(Uint8Array.of(0xb2, 0x01, 4, 0x08, 7, 0x10, 9))).toEqual({
    type: 'reapTxs',
    maxBytes: 7,
  })
})

const events: fc.Arbitrary<ApplicationEvent[]> = fc.array(
  fc.record({
    type: text,
    attributes: fc.array(fc.record({ key: text, value: text, index: fc.boolean() }), {
      maxLength: 3,
    }),
  }),
  { maxLength: 3 },
)
const result: fc.Arbitrary<ExecTxResult> = fc.record({
  code: fc.nat(),
  data: bytes,
  log: text,
  info: text,
  gasWanted: int64,
  gasUsed: int64,
  events,
  codespace: text,
})

test('the result of a block reads the same in a generated codec', () => {
  fc.assert(
    fc.property(
      fc.array(result, { maxLength: 4 }),
      events,
      bytes,
      int64,
      (txResults, all, appHash, power) => {
        const publicKey = new Uint8Array(32).fill(7)
        const { finalizeBlock } = cosmjs.Response.decode(
          encodeResponse({
            type: 'finalizeBlock',
            response: {
              txResults,
              events: all,
              appHash,
              validatorUpdates: [{ type: 'ed25519', publicKey, power }],
              consensusParamUpdates: undefined,
            },
          }),
        )
        expect(finalizeBlock?.txResults).toEqual(txResults)
        expect(finalizeBlock?.events).toEqual(all)
        expect(finalizeBlock?.appHash).toEqual(appHash)
        expect(finalizeBlock?.consensusParamUpdates).toBeUndefined()
        expect(finalizeBlock?.validatorUpdates[0]?.power).toBe(power)
        expect(finalizeBlock?.validatorUpdates[0]?.pubKey?.ed25519).toEqual(publicKey)
      },
    ),
  )
})

test('the small responses read the same in a generated codec', () => {
  const decode = (response: Parameters<typeof encodeResponse>[0]) =>
    cosmjs.Response.decode(encodeResponse(response))
  const hash = Uint8Array.of(9, 9)
  expect(decode({ type: 'exception', error: 'no' }).exception?.error).toBe('no')
  expect(decode({ type: 'flush' }).flush).toBeDefined()
  expect(decode({ type: 'commit', retainHeight: 7 }).commit?.retainHeight).toBe(7n)
  const info = { data: 'assay', version: '1', appVersion: 1n, lastBlockHeight: 4 }
  expect(decode({ type: 'info', response: { ...info, lastBlockAppHash: hash } }).info).toEqual({
    ...info,
    lastBlockHeight: 4n,
    lastBlockAppHash: hash,
  })
  const check = { code: 2, data: hash, log: 'l', gasWanted: 5n, gasUsed: -1n, codespace: 'evm' }
  expect(decode({ type: 'checkTx', response: check }).checkTx).toMatchObject(check)
  expect(
    decode({ type: 'initChain', response: { validators: [], appHash: hash } }).initChain,
  ).toEqual({ validators: [], appHash: hash, consensusParams: undefined })
  expect(decode({ type: 'prepareProposal', txs: [hash, hash] }).prepareProposal?.txs).toHaveLength(
    2,
  )
  expect(decode({ type: 'processProposal', status: 'reject' }).processProposal?.status).toBe(2)
  const offers = ['accept', 'abort', 'reject', 'reject-format', 'reject-sender'] as const
  for (const [index, offer] of offers.entries())
    expect(decode({ type: 'offerSnapshot', result: offer }).offerSnapshot?.result).toBe(index + 1)
  const applied = ['accept', 'abort', 'retry', 'retry-snapshot', 'reject-snapshot'] as const
  for (const [index, result] of applied.entries()) {
    const answer = { refetchChunks: [0, 300], rejectSenders: ['', 'b'] }
    expect(
      decode({ type: 'applySnapshotChunk', response: { result, ...answer } }).applySnapshotChunk,
    ).toEqual({ result: index + 1, ...answer })
  }
})

// Fields 22 and 23 of `Response` in CometBFT v0.40.0, abci/types.proto.
test('the responses of the application mempool have the bytes of CometBFT', () => {
  expect([...encodeResponse({ type: 'insertTx', code: 0 })]).toEqual([0xb2, 0x01, 0])
  expect([...encodeResponse({ type: 'insertTx', code: 5 })]).toEqual([0xb2, 0x01, 2, 0x08, 5])
  const txs = [Uint8Array.of(1), Uint8Array.of(2, 3)]
  expect([...encodeResponse({ type: 'reapTxs', txs })]).toEqual([
    0xba, 0x01, 7, 0x0a, 1, 1, 0x0a, 2, 2, 3,
  ])
})

test('whatever bytes come, a request is read or refused as malformed', () => {
  const some = cosmjs.Request.encode(
    cosmjs.Request.fromPartial({
      finalizeBlock: { txs: [new Uint8Array(5)], height: 3n, time: { seconds: 1n, nanos: 2 } },
    }),
  ).finish()
  const flipped = fc
    .array(fc.tuple(fc.nat({ max: some.length - 1 }), fc.nat({ max: 255 })), { minLength: 1 })
    .map((changes) => {
      const copy = Uint8Array.from(some)
      for (const [at, value] of changes) copy[at] = value
      return copy
    })
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), flipped), (input) => {
      try {
        expect(decodeRequest(input).type).toBeTypeOf('string')
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufError)
      }
    }),
    { numRuns: Number(process.env['ASSAY_FUZZ_RUNS'] ?? 5000) },
  )
})
