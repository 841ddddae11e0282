/** The registry of models on a real chain, and a dispatcher that follows it. Long, because it starts a node and a PostgreSQL. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../../test/support/chainNode.ts'
import {
  chainOptions,
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'
import { waitFor } from '../../../test/support/waitFor.ts'
import { developmentKeys } from '../../accounts/development.ts'
import { fromHex, type Hex } from '../../base/hex.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'
import { ModelRegistry } from '../../generated/contracts.ts'
import { listRegistered } from '../dispatcher/identities/registry.ts'
import { removeModel, setModel } from '../dispatcher/identities/register.ts'
import { sendTransaction, TransactionError } from '../onchain/account.ts'
import { connectChain, type EvmChain } from '../onchain/chain.ts'
import { MAX_NAME_BYTES, modelsVersion, readChainModels, setModelCall } from './models.ts'

const { signal } = new AbortController()
const [key, other] = developmentKeys() as [Uint8Array, Uint8Array]
const registrar = addressOfPrivateKey(key)
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`
/** 256 bytes of UTF-8. */
const LONG = '模'.repeat(85).concat('x')

let node: TestChain
let chain: EvmChain
let contract: Uint8Array
let postgres: TestPostgres
let dispatcher: TestDispatcher

beforeAll(async () => {
  ;[postgres, node] = await Promise.all([startTestPostgres(), startTestChain()])
  chain = connectChain(node.rpc, signal)
  const deployment = { data: fromHex(ModelRegistry.bytecode) }
  const { contractAddress } = await sendTransaction(chain, key, deployment, signal)
  contract = fromHex(contractAddress ?? '')
  dispatcher = await startTestDispatcher(postgres, 'models', {
    chain: chainOptions(node, { modelRegistry: { contract, registrar } }),
  })
})

afterAll(async () => {
  await dispatcher.close()
  await node.stop()
  await postgres.stop()
})

const send = (data: Uint8Array, from = key) =>
  sendTransaction(chain, from, { to: contract, data }, signal)

const registered = async () =>
  (await listRegistered(dispatcher.sql)).map(({ name, sha256, modelRoot }) => ({
    name,
    sha256,
    modelRoot,
  }))

// Holds D147.
test('names of the registrar are registered at the dispatcher, changed and removed; those of others are not', async () => {
  await setModel(dispatcher.sql, 'own', { sha256: hash('1') })
  await setModel(dispatcher.sql, 'llama3:8b', { sha256: hash('1') })
  await send(setModelCall('llama3:8b', { sha256: hash('a'), modelRoot: hash('b') }))
  await send(setModelCall(LONG, { sha256: hash('c') }))
  await send(setModelCall('foreign', { sha256: hash('d') }), other)
  const own = { name: 'own', sha256: hash('1'), modelRoot: null }
  await waitFor(async () =>
    expect(await registered()).toEqual([
      { name: 'llama3:8b', sha256: hash('a'), modelRoot: hash('b') },
      own,
      { name: LONG, sha256: hash('c'), modelRoot: null },
    ]),
  )
  const onChain = 'is registered on the chain'
  await expect(setModel(dispatcher.sql, LONG, { sha256: hash('e') })).rejects.toThrow(onChain)
  await expect(removeModel(dispatcher.sql, LONG)).rejects.toThrow(onChain)
  await send(setModelCall('llama3:8b', undefined))
  await send(setModelCall(LONG, { sha256: hash('f') }))
  await waitFor(async () =>
    expect(await registered()).toEqual([own, { name: LONG, sha256: hash('f'), modelRoot: null }]),
  )
  expect(await modelsVersion(chain, contract, registrar)).toBe(4n)
  expect(await readChainModels(chain, contract, registrar, 1)).toEqual([
    { name: 'llama3:8b', model: undefined },
  ])
})

test.each(['', 'a\u0000b', `x@sha256:${'0'.repeat(64)}`, `${LONG}y`])(
  'the name %j cannot be put there',
  (name) => {
    expect(() => setModelCall(name, { sha256: hash('a') })).toThrow(`${MAX_NAME_BYTES} bytes`)
  },
)

test('what is no name of a model is refused by the contract, or left out by whoever reads it', async () => {
  const valid = setModelCall('x', { sha256: hash('a') })
  const nameless = Uint8Array.from(valid, (byte, at) => (at === 4 ? 0 : byte))
  await expect(send(nameless, other)).rejects.toThrow(TransactionError)
  const notText = Uint8Array.from(valid, (byte, at) => (at === 4 ? 0xff : byte))
  await send(notText, other)
  const models = await readChainModels(chain, contract, addressOfPrivateKey(other), 10)
  expect(models.map(({ name }) => name)).toEqual(['foreign'])
})
