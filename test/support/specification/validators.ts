/** Rows about validator updates (interface.md, "Validator update" and "Events"): a delegation moves the power. */
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { expect } from 'vitest'
import { toHex } from '../../../src/base/hex.ts'
import { STAKING_ADDRESS } from '../../../src/chain/predeploys.ts'
import { Staking } from '../../../src/generated/contracts.ts'
import { expectMatch, openLine, type Json, type Rows, type SpecifiedWorld } from './world.ts'

const { abi } = Staking

type Update = { readonly query: string; readonly data: { type: string; value: Json } }

let update: Promise<Json> | undefined

/** Delegates to the only validator, and returns the notification that follows. */
async function delegate({ ask, send, up }: SpecifiedWorld): Promise<Json> {
  const to = toHex(STAKING_ADDRESS)
  const data = encodeFunctionData({ abi, functionName: 'validatorSet' })
  const set = (await ask('eth_call', { to, data }, 'latest')) as Hex
  const [operator = '0x'] = decodeFunctionResult({ abi, functionName: 'validatorSet', data: set })
  const line = await openLine(`${up.comet.replace('http', 'ws')}/websocket`)
  const query = "tm.event='ValidatorSetUpdates'"
  line.send({ jsonrpc: '2.0', id: 5, method: 'subscribe', params: { query } })
  await line.until(({ id }) => id === 5)
  const args = [operator] as const
  await send({
    to,
    data: encodeFunctionData({ abi, functionName: 'delegate', args }),
    value: '0xde0b6b3a7640000',
    gas: '0x7a120',
  })
  const told = await line.until(({ result }) => Object.keys(result ?? {}).length > 0)
  line.close()
  return told
}

/** One delegation is enough for all rows. */
function notification(world: SpecifiedWorld): Promise<Json> {
  update ??= delegate(world)
  return update
}

async function updateOf(world: SpecifiedWorld): Promise<Json> {
  const { data } = (await notification(world))['result'] as Update
  const [first] = data.value['validator_updates'] as Json[]
  return first ?? {}
}

export const VALIDATOR_UPDATE: Rows = {
  async 'address | string (uppercase hex)'(world) {
    expectMatch((await updateOf(world))['address'], /^[0-9A-F]{40}$/)
  },
  async 'pub_key | object {type: string, value: string (base64)}'(world) {
    expect((await updateOf(world))['pub_key']).toEqual({
      type: 'tendermint/PubKeyEd25519',
      value: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/) as string,
    })
  },
  async 'voting_power | string (integer)'(world) {
    expectMatch((await updateOf(world))['voting_power'], /^[1-9]\d*$/)
  },
  async 'proposer_priority | string (integer)'(world) {
    expectMatch((await updateOf(world))['proposer_priority'], /^-?\d+$/)
  },
}

export const VALIDATOR_EVENTS: Rows = {
  async 'ValidatorSetUpdates | validator set updates of the block'(world) {
    expect((await updateOf(world))['voting_power']).toBeDefined()
  },
  async 'A notification for ValidatorSetUpdates has the shape: {jsonrpc, id, result: {query: string, data: {type: string, value: {validator_updates: array of Validator update}}}}'(
    world,
  ) {
    expect(await notification(world)).toMatchObject({
      jsonrpc: '2.0',
      id: 5,
      result: {
        query: "tm.event='ValidatorSetUpdates'",
        data: { type: 'tendermint/event/ValidatorSetUpdates', value: { validator_updates: [{}] } },
      },
    })
  },
  async 'Node-side eth_subscribe notifications (newHeads) carry the subscription id; eth_newFilter, eth_newBlockFilter, eth_newPendingTransactionFilter provide polling through eth_getFilterChanges'({
    ask,
    up,
    send,
    bob,
  }) {
    const line = await openLine(up.ws)
    line.send({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] })
    const { result: subscription } = await line.until(({ id }) => id === 1)
    const filters = [
      await ask('eth_newFilter', {}),
      await ask('eth_newBlockFilter'),
      await ask('eth_newPendingTransactionFilter'),
    ]
    await send({ to: bob })
    expect(await line.until(({ method }) => method === 'eth_subscription')).toMatchObject({
      params: { subscription },
    })
    line.close()
    for (const filter of filters)
      expect(await ask('eth_getFilterChanges', filter)).toBeInstanceOf(Array)
  },
  'Receipts carry Log entries emitted by contracts'({ receipt, contract }) {
    expect(receipt['logs']).toMatchObject([{ address: contract }])
  },
}
