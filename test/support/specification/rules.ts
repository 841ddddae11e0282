/** Rows about states, errors, limits, events, authentication and versions. */
import fs from 'node:fs'
import { expect } from 'vitest'
import { eventually } from '../assay.ts'
import {
  errorOf,
  openLine,
  QUANTITY,
  expectMatch,
  type Json,
  type Rows,
  type SpecifiedWorld,
} from './world.ts'

function untilLocked(ask: SpecifiedWorld['ask'], account: unknown): Promise<boolean> {
  return eventually(async () => {
    const answer = await ask('eth_sign', account, '0x00').catch(() => 'locked')
    return answer === 'locked' ? true : undefined
  })
}

export const STATES: Rows = {
  async 'account | unlocked | unlock duration elapses | duration was a positive number of seconds (default 300) | locked'({
    ask,
    askPrivately,
  }) {
    const account = await askPrivately('personal_newAccount', 'word')
    expect(await askPrivately('personal_unlockAccount', account, 'word', 1)).toBe(true)
    await ask('eth_sign', account, '0x00')
    await untilLocked(ask, account)
  },
  async 'account | unlocked | (duration 0) | duration given as zero | unlocked | stays unlocked until the node process exits'({
    ask,
    askPrivately,
  }) {
    const account = await askPrivately('personal_newAccount', 'word')
    const other = await askPrivately('personal_newAccount', 'word')
    expect(await askPrivately('personal_unlockAccount', account, 'word', 0)).toBe(true)
    await askPrivately('personal_unlockAccount', other, 'word', 1)
    await untilLocked(ask, other)
    expectMatch(await ask('eth_sign', account, '0x00'), /^0x/)
  },
  async 'filter | none | eth_newFilter / eth_newBlockFilter / eth_newPendingTransactionFilter | | installed | filter id returned'({
    ask,
  }) {
    for (const [method, ...params] of [
      ['eth_newFilter', {}],
      ['eth_newBlockFilter'],
      ['eth_newPendingTransactionFilter'],
    ] as const) {
      const id = await ask(method, ...params)
      expect(await ask('eth_getFilterChanges', id)).toBeInstanceOf(Array)
    }
  },
  async 'filter | installed | eth_uninstallFilter | filter exists | none | returns true; returns false otherwise'({
    ask,
  }) {
    const id = await ask('eth_newBlockFilter')
    expect(await ask('eth_uninstallFilter', id)).toBe(true)
    expect(await errorOf(ask('eth_getFilterChanges', id))).toMatchObject({
      code: -32000,
      message: 'filter not found',
    })
    expect(await ask('eth_uninstallFilter', id)).toBe(false)
  },
  async 'subscription | none | eth_subscribe | | active | subscription id returned; matching events produce notifications carrying the id'({
    up,
    send,
    contract,
    bob,
  }) {
    const line = await openLine(up.ws)
    const params = ['logs', { address: contract }]
    line.send({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params })
    const { result: subscription } = await line.until(({ id }) => id === 1)
    await send({ to: bob })
    const { logs } = (await send({ to: contract })) as { logs: Json[] }
    const told = await line.until(({ method }) => method === 'eth_subscription')
    expect(told['params']).toEqual({ subscription, result: logs[0] })
    line.close()
  },
  async 'subscription | active | eth_unsubscribe | | ended | returns true'({ up, send, contract }) {
    const line = await openLine(up.ws)
    line.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_subscribe',
      params: ['logs', { address: contract }],
    })
    const { result } = await line.until(({ id }) => id === 1)
    line.send({ jsonrpc: '2.0', id: 2, method: 'eth_unsubscribe', params: [result] })
    expect(await line.until(({ id }) => id === 2)).toMatchObject({ result: true })
    await send({ to: contract })
    line.send({ jsonrpc: '2.0', id: 3, method: 'eth_chainId' })
    await line.until(({ id }) => id === 3)
    expect(line.messages.some(({ method }) => method === 'eth_subscription')).toBe(false)
    line.close()
  },
}

type Subscribed = { readonly query: string; readonly data: { type: string; value: Json } }

/** What a consensus subscription hears first while transactions are sent. */
async function heardOf({ up, send, bob }: SpecifiedWorld, query: string): Promise<Subscribed> {
  const line = await openLine(`${up.comet.replace('http', 'ws')}/websocket`)
  line.send({ jsonrpc: '2.0', method: 'subscribe', id: 9, params: [query] })
  await line.until(({ id }) => id === 9)
  await send({ to: bob })
  const { result } = await line.until((message) => Object.keys(message['result'] ?? {}).length > 0)
  line.close()
  return result as Subscribed
}

export const EVENTS: Rows = {
  async 'NewBlock | events triggered during block begin and block end processing'(world) {
    const { data } = await heardOf(world, "tm.event='NewBlock'")
    expect(data).toMatchObject({
      type: 'tendermint/event/NewBlock',
      value: { block: { header: {} }, result_finalize_block: {} },
    })
  },
  async 'NewBlockHeader | new block headers (used in the subscription example)'(world) {
    const { query, data } = await heardOf(world, "tm.event='NewBlockHeader'")
    expect(query).toBe("tm.event='NewBlockHeader'")
    expect(data).toMatchObject({ value: { header: { chain_id: 'assay_271828-1' } } })
  },
  async 'Tx | events triggered during transaction processing'(world) {
    const recipient = `tm.event='Tx' AND assay.recipient='${world.bob}'`
    const { data } = await heardOf(world, recipient)
    const { result } = data.value['TxResult'] as { result: { events: { type: string }[] } }
    expect(result.events.map(({ type }) => type)).toEqual(['assay', 'ethereum_tx', 'message'])
  },
}

export const ERRORS_AND_LIMITS: Rows = {
  async 'A failed JSON-RPC call returns an object with error {code, message}. Sample: code -32000 with a message stating that the filter is not of the logs type'({
    ask,
  }) {
    const id = await ask('eth_newBlockFilter')
    const { code, message } = await errorOf(ask('eth_getFilterLogs', id))
    expect(code).toBe(-32000)
    expect(message).toContain("doesn't have a LogsSubscription type")
  },
  async 'miner_setExtra and miner_start always return an error; miner_setGasLimit returns false; miner_stop does nothing'({
    askPrivately,
  }) {
    expect(await errorOf(askPrivately('miner_setExtra', '0x00'))).toMatchObject({ code: -32000 })
    expect(await errorOf(askPrivately('miner_start', '0x1'))).toMatchObject({ code: -32000 })
    expect(await askPrivately('miner_setGasLimit', '0x1')).toBe(false)
    expect(await askPrivately('miner_stop')).toBeNull()
  },
  async 'eth_uninstallFilter returns false when the filter was not uninstalled'({ ask }) {
    expect(await ask('eth_uninstallFilter', '0x1')).toBe(false)
  },
  async 'eth_sendTransaction default gas | 90000'({ ask, send, bob }) {
    const { transactionHash } = await send({ to: bob })
    expect(await ask('eth_getTransactionByHash', transactionHash)).toMatchObject({ gas: '0x15f90' })
  },
  async 'eth_call gas consumption | zero'({ ask, alice, contract }) {
    const before = await ask('eth_getBalance', alice, 'latest')
    await ask('eth_call', { from: alice, to: contract, gas: '0x15f90', gasPrice: '0x174876e800' })
    expect(await ask('eth_getBalance', alice, 'latest')).toBe(before)
  },
}

export const ENVELOPE: Rows = {
  async 'HTTP: POST to {base_url} with header Content-Type: application/json. WebSocket: messages on {ws_url}'({
    up,
    ask,
  }) {
    expectMatch(await ask('eth_chainId'), QUANTITY)
    const line = await openLine(up.ws)
    line.send({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
    expect(await line.until(({ id }) => id === 1)).toMatchObject({
      result: await ask('eth_chainId'),
    })
    line.close()
  },
  async 'Request body: object with jsonrpc (string, 2.0), id (number or string), method (string), params (array, by position; empty array when no parameters)'({
    up,
  }) {
    for (const id of [7, 'seven'])
      expect(
        await posted(up.rpc, { jsonrpc: '2.0', id, method: 'net_version', params: [] }),
      ).toEqual({
        jsonrpc: '2.0',
        id,
        result: String(up.chainId),
      })
  },
  async 'Success response: object with jsonrpc, id (echoing the request), result'({ up }) {
    const answer = await posted(up.rpc, {
      jsonrpc: '2.0',
      id: 'x',
      method: 'net_listening',
      params: [],
    })
    expect(answer).toEqual({ jsonrpc: '2.0', id: 'x', result: true })
  },
  async 'Failure response: object with jsonrpc, id, error {code: integer, message: string}'({
    up,
  }) {
    const answer = await posted(up.rpc, {
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_nothing',
      params: [],
    })
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32601, message: expect.any(String) as string },
    })
  },
}

async function posted(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return response.json()
}

export const CONSENSUS: Rows = {
  async 'URI over HTTP: GET {consensus_rpc_url}/<endpoint> with arguments as query parameters (for example a height parameter on the block endpoint)'({
    up,
    block,
  }) {
    const response = await fetch(`${up.comet}/block?height=${Number(block['number'])}`)
    expect(await response.json()).toMatchObject({
      result: { block_id: { hash: String(block['hash']).slice(2).toUpperCase() } },
    })
  },
  async 'JSON-RPC over HTTP: POST to the root of {consensus_rpc_url}'({ up }) {
    const call = { jsonrpc: '2.0', id: 1, method: 'health', params: {} }
    expect(await posted(up.comet, call)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  },
  async 'JSON-RPC over WebSocket: connect to {consensus_rpc_url}/websocket (ws scheme); the methods subscribe and unsubscribe take a query'({
    up,
  }) {
    const line = await openLine(`${up.comet.replace('http', 'ws')}/websocket`)
    const query = "tm.event='Tx'"
    for (const [id, method] of ['subscribe', 'unsubscribe'].entries()) {
      line.send({ jsonrpc: '2.0', id, method, params: { query } })
      expect(await line.until((message) => message['id'] === id)).toMatchObject({ result: {} })
    }
    line.close()
  },
  async 'subscribe: request {jsonrpc: 2.0, method: subscribe, id, params}, where params is either an array [query] or an object {query}'(
    world,
  ) {
    const { up, bob } = world
    const query = `tm.event='Tx' AND assay.recipient='${bob}'`
    expect((await heardOf(world, query)).query).toBe(query)
    const line = await openLine(`${up.comet.replace('http', 'ws')}/websocket`)
    line.send({ jsonrpc: '2.0', id: 1, method: 'subscribe', params: { query } })
    expect(await line.until(({ id }) => id === 1)).toMatchObject({ result: {} })
    line.close()
  },
  async 'An EVM transaction message triggers an event whose type is named after the chain and whose attributes include sender and recipient'(
    world,
  ) {
    const { data } = await heardOf(world, `tm.event='Tx' AND assay.recipient='${world.bob}'`)
    const { result } = data.value['TxResult'] as {
      result: { events: { type: string; attributes: { key: string; value: string }[] }[] }
    }
    const [event] = result.events
    expect(event?.type).toBe('assay')
    expect(event?.attributes).toContainEqual(
      expect.objectContaining({ key: 'sender', value: world.alice }),
    )
    expect(event?.attributes).toContainEqual(
      expect.objectContaining({ key: 'recipient', value: world.bob }),
    )
  },
  async 'The consensus-layer transaction code and the receipt status are inverted relative to each other: consensus code 0 pairs with receipt status 1, and consensus code 1 pairs with receipt status 0'({
    up,
    receipt,
    send,
  }) {
    const failed = await send({ data: '0x5f5ffd', gas: '0x186a0' })
    for (const [{ status, blockNumber }, code] of [
      [receipt, 0],
      [failed, 1],
    ] as const) {
      const url = `${up.comet}/block_results?height=${Number(blockNumber)}`
      const { result } = (await (await fetch(url)).json()) as {
        result: { txs_results: { code: number }[] }
      }
      expect([status, result.txs_results[0]?.code]).toEqual([code === 0 ? '0x1' : '0x0', code])
    }
  },
}

export const ACCESS_AND_VERSIONS: Rows = {
  async 'The methods of the personal and miner namespaces are private and require authentication'({
    up,
    ask,
    askPrivately,
  }) {
    for (const method of ['personal_listAccounts', 'miner_getHashrate']) {
      expect(await errorOf(ask(method))).toMatchObject({ code: 4100 })
      await askPrivately(method)
    }
    expect(fs.statSync(up.ipc).mode & 0o777).toBe(0o600)
  },
  async 'eth_sign and eth_sendTransaction require that the from address is unlocked (see States and transitions); personal_sendTransaction instead takes the passphrase per call'({
    ask,
    askPrivately,
    bob,
    send,
  }) {
    const from = (await askPrivately('personal_newAccount', 'word')) as string
    await send({ to: from, value: '0xde0b6b3a7640000' })
    const locked = { code: -32000, message: 'authentication needed: password or unlock' }
    expect(await errorOf(ask('eth_sign', from, '0x00'))).toMatchObject(locked)
    expect(await errorOf(ask('eth_sendTransaction', { from, to: bob }))).toMatchObject(locked)
    const hash = await askPrivately('personal_sendTransaction', { from, to: bob }, 'word')
    await eventually(async () => (await ask('eth_getTransactionReceipt', hash)) ?? undefined)
    expect(await errorOf(ask('eth_sign', from, '0x00'))).toMatchObject(locked)
  },
  async 'All other node methods state no authentication requirement'({ ask }) {
    for (const method of [
      'web3_clientVersion',
      'txpool_status',
      'debug_getBadBlocks',
      'net_version',
    ])
      expect(await ask(method)).toBeDefined()
  },
  async 'The JSON-RPC protocol version is 2.0 (field jsonrpc)'({ up }) {
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
    expect(await posted(up.rpc, call)).toMatchObject({ jsonrpc: '2.0' })
    expect(await posted(up.rpc, { ...call, jsonrpc: '1.0' })).toMatchObject({
      error: { code: -32600 },
    })
  },
  async 'Block selection by hash follows EIP-1898; the blockhash log filter option follows EIP-234'({
    ask,
    alice,
    block,
    log,
  }) {
    const selector = { blockHash: block['hash'], requireCanonical: true }
    expect(await ask('eth_getBalance', alice, selector)).toBe(
      await ask('eth_getBalance', alice, { blockNumber: block['number'] }),
    )
    expect(await ask('eth_getLogs', { blockhash: block['hash'] })).toEqual([log])
  },
  async 'web3_clientVersion reports the client name, version, operating system and toolchain version'({
    ask,
  }) {
    expect(await ask('web3_clientVersion')).toBe(
      `Assay/v0.1.0/${process.platform}-${process.arch}/node${process.versions.node}`,
    )
  },
}
