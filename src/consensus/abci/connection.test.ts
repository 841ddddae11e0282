import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { connectAbci, requestFrame } from '../../../test/support/abciClient.ts'
import { concatAll } from '../../base/bytes.ts'
import { NO_SNAPSHOTS } from '../noSnapshots.ts'
import type { RemoteApplication } from './dispatch.ts'
import { startAbciServer, type AbciAddress } from './server.ts'

const cleanUp: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const action of cleanUp.splice(0)) await action()
})

const accepted = {
  code: 0,
  codespace: '',
  log: '',
  data: new Uint8Array(0),
  gasWanted: 0n,
  gasUsed: 0n,
}

/** An application for which a test provides only the parts it needs. */
function application(parts: Partial<RemoteApplication>): RemoteApplication {
  const unexpected = () => Promise.reject(new Error('not expected here'))
  return {
    ...NO_SNAPSHOTS,
    info: unexpected,
    initChain: unexpected,
    checkTx: unexpected,
    prepareProposal: unexpected,
    processProposal: unexpected,
    finalizeBlock: unexpected,
    commit: unexpected,
    insertTx: unexpected,
    reapTxs: () => [],
    query: () => {
      throw new Error('not expected here')
    },
    ...parts,
  }
}

async function serve(parts: Partial<RemoteApplication> = {}, address?: AbciAddress) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-abci-'))
  const refused: string[] = []
  const faults: unknown[] = []
  let arrivals = 0
  const server = await startAbciServer(address ?? { path: path.join(folder, 'abci.sock') }, {
    application: application(parts),
    onRefused: (reason) => refused.push(reason),
    onFault: (error) => faults.push(error),
    onArrival: () => arrivals++,
    frameLimit: 10_000,
  })
  cleanUp.push(async () => {
    await server.close()
    fs.rmSync(folder, { recursive: true })
  })
  return { server, refused, faults, arrivals: () => arrivals }
}

test('answers leave in the order of the requests, whichever check ends first', async () => {
  const ends: (() => void)[] = []
  const { server } = await serve({
    checkTx: (tx) =>
      new Promise((resolve) => {
        ends[tx[0] ?? 0] = () => resolve({ ...accepted, code: tx[0] ?? 0 })
        if (tx[0] === 2) for (const end of ends.toReversed()) end()
      }),
  })
  const client = await connectAbci(server.url)
  client.send(
    { echo: { message: 'first' } },
    ...[0, 1, 2].map((code) => ({ checkTx: { tx: Uint8Array.of(code) } })),
    { flush: {} },
  )
  expect((await client.next())?.echo?.message).toBe('first')
  for (const code of [0, 1, 2]) expect((await client.next())?.checkTx?.code).toBe(code)
  expect((await client.next())?.flush).toBeDefined()
})

test('what is no check waits for all that came before it', async () => {
  const steps: string[] = []
  let endCheck = () => {}
  const { server } = await serve({
    checkTx: () =>
      new Promise((resolve) => {
        steps.push('check')
        endCheck = () => {
          steps.push('checked')
          resolve(accepted)
        }
      }),
    async commit() {
      steps.push('commit')
      return { retainHeight: 7 }
    },
  })
  const client = await connectAbci(server.url)
  const second = await connectAbci(server.url)
  client.send({ checkTx: { tx: Uint8Array.of(1) } }, { commit: {} })
  // Another connection does not wait.
  second.send({ echo: { message: 'meanwhile' } })
  expect((await second.next())?.echo?.message).toBe('meanwhile')
  expect(steps).toEqual(['check'])
  endCheck()
  await client.next()
  expect((await client.next())?.commit?.retainHeight).toBe(7n)
  expect(steps).toEqual(['check', 'checked', 'commit'])
})

test('a malformed message closes its connection with a reason, and no other', async () => {
  const { server, refused, faults } = await serve()
  const healthy = await connectAbci(server.url)
  for (const bytes of [
    Uint8Array.of(0),
    Uint8Array.of(3, 0xff, 0xff, 0xff),
    Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff),
    requestFrame({ echo: { message: 'x'.repeat(20_000) } }),
  ]) {
    const client = await connectAbci(server.url)
    client.sendRaw(bytes)
    expect(await client.rest()).toEqual([])
  }
  expect(refused).toEqual([
    'a request has exactly one kind',
    'record ends inside a varint',
    'the length of a message is longer than five bytes',
    'a message of 20008 bytes is beyond the limit of 10000',
  ])
  expect(faults).toEqual([])
  healthy.send({ echo: { message: 'still here' } })
  expect((await healthy.next())?.echo?.message).toBe('still here')
})

test('a failing application is an exception with its reason, after which nothing is served', async () => {
  const { server, refused, faults } = await serve({
    commit: () => Promise.reject(new Error('the disk is gone')),
  })
  const client = await connectAbci(server.url)
  client.send({ commit: {} }, { echo: { message: 'more' } })
  const [first] = await client.rest()
  expect(first?.exception?.error).toBe('commit: the disk is gone')
  expect(refused).toEqual(['commit: the disk is gone'])
  expect(faults).toHaveLength(1)
})

test('thousands of checks at a time are all answered', async () => {
  let most = 0
  let inHand = 0
  const { server } = await serve({
    async checkTx(tx) {
      most = Math.max(most, ++inHand)
      await new Promise(setImmediate)
      inHand--
      return { ...accepted, gasWanted: BigInt((tx[0] ?? 0) * 256 + (tx[1] ?? 0)) }
    },
  })
  const client = await connectAbci(server.url)
  const COUNT = 10_000
  const checks = Array.from({ length: COUNT }, (_, i) =>
    requestFrame({ checkTx: { tx: Uint8Array.of(i >> 8, i & 0xff) } }),
  )
  client.sendRaw(concatAll([...checks, requestFrame({ flush: {} })]))
  for (let i = 0; i < COUNT; i++) expect((await client.next())?.checkTx?.gasWanted).toBe(BigInt(i))
  expect((await client.next())?.flush).toBeDefined()
  expect(most).toBeGreaterThan(1)
})

test('it is told when CometBFT arrives, over TCP as over a path, and leaves nothing behind', async () => {
  const { server, arrivals } = await serve({}, { host: '127.0.0.1', port: 0 })
  const first = await connectAbci(server.url)
  const second = await connectAbci(server.url)
  first.send({ echo: {} })
  second.send({ echo: {} })
  await Promise.all([first.next(), second.next()])
  expect(arrivals()).toBe(1)
  await server.close()
  expect(await first.rest()).toEqual([])
  await expect(connectAbci(server.url)).rejects.toThrow('ECONNREFUSED')
})
