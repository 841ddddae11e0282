import { once } from 'node:events'
import net from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { ed25519Signer } from '../../base/ed25519.ts'
import { lengthDelimited, bytesField } from '../../proof/comet/protobuf.ts'
import { ConnectionLostError } from './byteSource.ts'
import { ChannelError, MAX_MESSAGE_BYTES, plainChannel } from './channel.ts'
import { openSecretChannel } from './secretChannel.ts'

const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const action of cleanUp.splice(0)) action()
})

/** Both ends of a connection. */
async function pair(): Promise<readonly [net.Socket, net.Socket]> {
  const server = net.createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  const dialled = net.connect(port, '127.0.0.1')
  const [[accepted]] = (await Promise.all([
    once(server, 'connection'),
    once(dialled, 'connect'),
  ])) as [[net.Socket], unknown]
  for (const socket of [dialled, accepted]) socket.on('error', () => undefined)
  cleanUp.push(() => {
    dialled.destroy()
    accepted.destroy()
    server.close()
  })
  return [dialled, accepted]
}

const keyOf = (seed: number) => ed25519Signer(new Uint8Array(32).fill(seed))

test('both sides know each other, and messages of every size arrive in order', async () => {
  const [one, other] = await pair()
  const [a, b] = await Promise.all([
    openSecretChannel(one, keyOf(1)),
    openSecretChannel(other, keyOf(2)),
  ])
  expect(a.remoteKey).toEqual(keyOf(2).publicKey)
  expect(b.remoteKey).toEqual(keyOf(1).publicKey)
  const sizes = [0, 1, 1021, 1022, 1023, 1024, 5000, MAX_MESSAGE_BYTES]
  for (const size of sizes) a.send(new Uint8Array(size).fill(size % 251))
  for (const size of sizes)
    expect(Uint8Array.from(await b.receive())).toEqual(new Uint8Array(size).fill(size % 251))
  b.send(Uint8Array.of(7))
  expect([...(await a.receive())]).toEqual([7])
})

test('a message beyond the maximum is refused, and so is the end of a connection', async () => {
  const [one, other] = await pair()
  const [a, b] = [plainChannel(one), plainChannel(other)]
  a.send(new Uint8Array(MAX_MESSAGE_BYTES + 1))
  await expect(b.receive()).rejects.toThrow(ChannelError)
  const waiting = a.receive()
  other.destroy()
  await expect(waiting).rejects.toThrow(ConnectionLostError)
  await expect(a.receive()).rejects.toThrow(ConnectionLostError)
})

test('a side that does not prove its key, or sends a key of low order, is refused', async () => {
  const liar = { ...keyOf(1), publicKey: keyOf(3).publicKey }
  const [one, other] = await pair()
  const opened = openSecretChannel(one, liar)
  opened.catch(() => undefined)
  await expect(openSecretChannel(other, keyOf(2))).rejects.toThrow('did not prove its identity')

  for (const [ephemeral, reason] of [
    [new Uint8Array(31), '32 bytes'],
    [new Uint8Array(32), 'low order'],
  ] as const) {
    const [theirs, ours] = await pair()
    theirs.write(lengthDelimited(bytesField(1, ephemeral)))
    await expect(openSecretChannel(ours, keyOf(2))).rejects.toThrow(reason)
  }
})
