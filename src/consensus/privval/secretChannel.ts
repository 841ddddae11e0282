/**
 * CometBFT's SecretConnection (v0.38, p2p/conn/secret_connection.go), which encrypts privval over TCP: X25519 with
 * ephemeral keys, a Merlin transcript of the handshake that both sides sign with an Ed25519 key, then sealed frames (D98).
 */
import type { Socket } from 'node:net'
import { compareBytes, concatBytes, equalBytes } from '../../base/bytes.ts'
import { verifyEd25519, type Ed25519Signer } from '../../base/ed25519.ts'
import { createTranscript } from '../../base/merlin.ts'
import { generateX25519 } from '../../base/x25519.ts'
import {
  bytesField,
  lengthDelimited,
  messageField,
  parseMessage,
} from '../../proof/comet/protobuf.ts'
import { socketSource, type ByteSource } from './byteSource.ts'
import { ChannelError, MAX_MESSAGE_BYTES, readDelimited, type Channel } from './channel.ts'
import {
  createOpener,
  createSealer,
  deriveKeys,
  MAX_DATA_BYTES,
  SEALED_BYTES,
} from './sealedFrames.ts'

const KEY_BYTES = 32
const CHALLENGE_BYTES = 32

export type SecretChannel = Channel & {
  /** Ed25519 key by which the other side identified itself. */
  readonly remoteKey: Uint8Array
}

/** Sends our ephemeral key and returns theirs: BytesValue records. */
async function exchangeKeys(
  socket: Socket,
  source: ByteSource,
  own: Uint8Array,
): Promise<Uint8Array> {
  socket.write(lengthDelimited(bytesField(1, own)))
  const theirs = parseMessage(await readDelimited(source, MAX_MESSAGE_BYTES)).bytes(1)
  if (theirs.length !== KEY_BYTES) throw new ChannelError('an ephemeral key has 32 bytes')
  return theirs
}

/** The bytes inside the frames. */
function openedSource(source: ByteSource, open: (sealed: Uint8Array) => Uint8Array): ByteSource {
  let rest: Uint8Array = new Uint8Array(0)
  return {
    async read(size) {
      while (rest.length < size) rest = concatBytes(rest, open(await source.read(SEALED_BYTES)))
      const bytes = rest.subarray(0, size)
      rest = rest.subarray(size)
      return bytes
    },
  }
}

/** The challenge that both sides sign, and the shared secret. */
function agree(pair: ReturnType<typeof generateX25519>, theirs: Uint8Array) {
  const isLeast = compareBytes(pair.publicKey, theirs) < 0
  const [lower, upper] = isLeast ? [pair.publicKey, theirs] : [theirs, pair.publicKey]
  let secret: Uint8Array
  try {
    secret = pair.agree(theirs)
  } catch {
    throw new ChannelError('the ephemeral key of the other side is of low order')
  }
  const transcript = createTranscript('TENDERMINT_SECRET_CONNECTION_TRANSCRIPT_HASH')
  transcript.append('EPHEMERAL_LOWER_PUBLIC_KEY', lower)
  transcript.append('EPHEMERAL_UPPER_PUBLIC_KEY', upper)
  transcript.append('DH_SECRET', secret)
  const challenge = transcript.challenge('SECRET_CONNECTION_MAC', CHALLENGE_BYTES)
  return { challenge, keys: deriveKeys(secret, isLeast) }
}

/**
 * Encrypts a connection; `identity` is how this side identifies itself. Rejects with ChannelError, ProtobufError or
 * ConnectionLostError when the other side fails the handshake; the caller closes the socket then, and limits the time.
 */
export async function openSecretChannel(
  socket: Socket,
  identity: Ed25519Signer,
): Promise<SecretChannel> {
  const source = socketSource(socket)
  const pair = generateX25519()
  const theirs = await exchangeKeys(socket, source, pair.publicKey)
  if (equalBytes(theirs, pair.publicKey)) throw new ChannelError('our own key came back')
  const { challenge, keys } = agree(pair, theirs)
  const seal = createSealer(keys.send)
  const opened = openedSource(source, createOpener(keys.receive))

  function send(message: Uint8Array): void {
    const bytes = lengthDelimited(message)
    for (let at = 0; at < bytes.length; at += MAX_DATA_BYTES)
      socket.write(seal(bytes.subarray(at, at + MAX_DATA_BYTES)))
  }

  send(
    concatBytes(
      messageField(1, bytesField(1, identity.publicKey)),
      bytesField(2, identity.sign(challenge)),
    ),
  )
  const proof = parseMessage(await readDelimited(opened, MAX_MESSAGE_BYTES))
  const remoteKey = Uint8Array.from(proof.message(1).bytes(1))
  if (!verifyEd25519(remoteKey, challenge, proof.bytes(2)))
    throw new ChannelError('the other side did not prove its identity')
  return {
    remoteKey,
    send,
    receive: () => readDelimited(opened, MAX_MESSAGE_BYTES),
    close: () => socket.destroy(),
  }
}
