// Holds D98.
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, expect, test } from 'vitest'
import { ed25519Signer, verifyEd25519 } from '../../base/ed25519.ts'
import { sha256 } from '../../base/sha256.ts'
import { addressOfPublicKey } from '../../proof/comet/validators.ts'
import { PRECOMMIT, voteSignBytes } from '../../proof/comet/vote.ts'
import { NO_SIGN_STATE, type SignState } from '../files/signState.ts'
import { openRemoteSigner, type RemoteSigner } from './remoteSigner.ts'
import { createSigner, type Signer } from './signer.ts'
import { runSignerDialer } from './signerDialer.ts'
import { SigningStoppedError, type SignerAddress } from './signerListener.ts'

const CHAIN = 'assay_271828-1'
const key = ed25519Signer(new Uint8Array(32).fill(4))
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-signer-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const cleanUp: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const action of cleanUp.splice(0).reverse()) await action()
})

function voteFor(height: number, block = 1) {
  const hash = sha256(Uint8Array.of(block))
  const blockId = { hash, parts: { total: 1, hash } }
  return { type: PRECOMMIT, height, round: 0, blockId, timeNs: 7n } as const
}

/** What a log says, and when. */
function listenToLog() {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const says = (text: string) => expect.poll(() => lines.join('')).toContain(text)
  return { log, lines, says }
}

function open(address: SignerAddress) {
  const stopping = new AbortController()
  const said = listenToLog()
  const opening = openRemoteSigner({
    address,
    chainId: CHAIN,
    log: said.log,
    signal: stopping.signal,
  })
  opening.then(
    (remote) => cleanUp.push(() => remote.close()),
    () => undefined,
  )
  cleanUp.push(() => stopping.abort())
  return { opening, stopping, ...said }
}

function newSigner(state: SignState = NO_SIGN_STATE) {
  let last = state
  const signer = createSigner({
    key: { signer: key, address: addressOfPublicKey(sha256, key.publicKey) },
    chainId: CHAIN,
    state,
    keep: (next) => (last = next),
    onRefused: () => undefined,
  })
  return { signer, state: () => last }
}

/** Dials until it is stopped. */
function dial(address: SignerAddress, signer: Signer) {
  const stopping = new AbortController()
  const said = listenToLog()
  const running = runSignerDialer({ address, signer, log: said.log, signal: stopping.signal })
  running.catch(() => undefined)
  async function stop() {
    stopping.abort()
    await running
  }
  cleanUp.push(stop)
  return { stop, ...said }
}

async function freeTcp(): Promise<SignerAddress> {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return { host: '127.0.0.1', port }
}

async function expectSigned(remote: RemoteSigner, height: number): Promise<void> {
  const vote = voteFor(height)
  const { signature, timeNs } = await remote.sign(vote)
  expect(verifyEd25519(key.publicKey, voteSignBytes(CHAIN, { ...vote, timeNs }), signature)).toBe(
    true,
  )
}

test.each(['tcp', 'unix'])('blocks are signed by a signer over %s', async (kind) => {
  const address = kind === 'unix' ? { path: path.join(folder, 'a.sock') } : await freeTcp()
  dial(address, newSigner().signer)
  const { opening } = open(address)
  const remote = await opening
  expect(remote.publicKey).toEqual(key.publicKey)
  for (const height of [1, 2, 3]) await expectSigned(remote, height)
  if ('path' in address) expect(fs.statSync(address.path).mode & 0o777).toBe(0o600)
})

test('while the signer is away the node waits and says so, and goes on when it is back', async () => {
  const address = await freeTcp()
  const { opening, says } = open(address)
  await says('waiting for the remote signer')
  const first = newSigner()
  const dialled = dial(address, first.signer)
  const remote = await opening
  await expectSigned(remote, 1)
  expect(remote.isConnected()).toBe(true)
  await dialled.stop()
  const waiting = expectSigned(remote, 2)
  await says('the remote signer is away')
  expect(remote.isConnected()).toBe(false)
  dial(address, newSigner(first.state()).signer)
  await waiting
})

test('a refusal is said in one sentence, and nothing is signed until the signer agrees', async () => {
  const address = await freeTcp()
  const { signer } = newSigner()
  let isRefusing = true
  dial(address, {
    answer: (request) =>
      isRefusing && request.type === 'signVoteRequest'
        ? {
            type: 'signedVoteResponse',
            answer: { error: { code: 3, description: 'double sign requested at height 5' } },
          }
        : signer.answer(request),
  })
  const { opening, says, lines } = open(address)
  const remote = await opening
  const signing = expectSigned(remote, 5)
  await says('the remote signer does not sign block 5: double sign requested at height 5')
  expect(lines.filter((line) => line.includes('double sign'))).toHaveLength(1)
  isRefusing = false
  await signing
})

test('a signature of another key, or of another block, is not taken', async () => {
  const address = await freeTcp()
  const { signer } = newSigner()
  const stranger = createSigner({
    key: { signer: ed25519Signer(new Uint8Array(32).fill(5)), address: new Uint8Array(20) },
    chainId: CHAIN,
    state: NO_SIGN_STATE,
    keep: () => undefined,
    onRefused: () => undefined,
  })
  let turn = 0
  dial(address, {
    answer(request) {
      if (request.type !== 'signVoteRequest') return signer.answer(request)
      turn++
      if (turn === 1) return stranger.answer(request)
      return turn === 2
        ? stranger.answer({ ...request, vote: { ...request.vote, ...voteFor(9, 2) } })
        : signer.answer(request)
    },
  })
  const { opening, says } = open(address)
  const signing = expectSigned(await opening, 1)
  await says("not one of the validator's key")
  await says('another vote than it was asked to sign')
  await signing
})

test('a second signer is refused while the first one answers', async () => {
  const address = await freeTcp()
  const [first, second] = [newSigner(), newSigner()]
  dial(address, first.signer)
  const { opening, says } = open(address)
  const remote = await opening
  dial(address, second.signer)
  await says('a second signer connected, and was refused')
  await expectSigned(remote, 1)
  expect(first.state().height).toBe(1)
  expect(second.state().height).toBe(0)
})

test('strangers who say nothing, or something else, keep no signer away', async () => {
  const address = await freeTcp()
  const { opening, says } = open(address)
  await says('waiting for the remote signer')
  const { host, port } = address as { host: string; port: number }
  for (let i = 0; i < 3; i++) {
    const socket = net.connect(port, host)
    socket.on('error', () => undefined)
    cleanUp.push(() => void socket.destroy())
    if (i === 0) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10))
  }
  dial(address, newSigner().signer)
  await expectSigned(await opening, 1)
})

test('a node that stops waits for no signer', async () => {
  const address = await freeTcp()
  const { opening, stopping, says } = open(address)
  await says('waiting for the remote signer')
  stopping.abort()
  await expect(opening).rejects.toThrow(SigningStoppedError)

  const later = await freeTcp()
  const dialled = dial(later, newSigner().signer)
  const next = open(later)
  const remote = await next.opening
  await dialled.stop()
  const signing = remote.sign(voteFor(1))
  next.stopping.abort()
  await expect(signing).rejects.toThrow(SigningStoppedError)
})

test('a signer whose sign state cannot be written ends', async () => {
  const address = await freeTcp()
  open(address)
  const signing = runSignerDialer({
    address,
    signer: {
      answer() {
        throw new Error('ENOSPC')
      },
    },
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
  })
  await expect(signing).rejects.toThrow('ENOSPC')
})
