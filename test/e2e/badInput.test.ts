import { createWalletClient, defineChain, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, inject, test } from 'vitest'
import { rpc } from '../support/assay.ts'

const up = inject('up')
const headers = { 'content-type': 'application/json' }
const raw = async (body: string, extra: Record<string, string> = {}) =>
  fetch(up.rpc, { method: 'POST', headers: { ...headers, ...extra }, body })

test('malformed JSON is -32700 and leaves the node unharmed', async () => {
  const answer = (await (await raw('{"jsonrpc":')).json()) as { error: { code: number } }
  expect(answer.error.code).toBe(-32700)
  expect((await rpc(up.rpc, 'eth_blockNumber')).result).toMatch(/^0x/)
})

test.each([
  ['eth_getBalance', [], -32602, 'missing value for required argument 0'],
  ['eth_getBalance', ['0x12', 'latest'], -32602, 'invalid argument 0'],
  ['eth_getBalance', [5, 'latest'], -32602, 'invalid argument 0'],
  ['eth_getBalance', [`0x${'1'.repeat(40)}`, 'newest'], -32602, 'invalid argument 1'],
  ['eth_getBalance', [`0x${'1'.repeat(40)}`, '0xffffffff'], -32000, 'header not found'],
  ['eth_chainId', [1], -32602, 'too many arguments, want at most 0'],
  ['eth_nothing', [], -32601, 'the method eth_nothing does not exist/is not available'],
  ['debug_traceTransaction', [], -32602, 'missing value for required argument 0'],
  ['eth_sendRawTransaction', ['0x'], -32000, ''],
  ['eth_sendRawTransaction', ['0xc0ffee'], -32000, ''],
  ['eth_sendRawTransaction', ['0x03aabb'], -32000, 'transaction type not supported'],
  ['eth_call', [{ to: '0xnothex' }], -32602, 'invalid argument 0'],
])('%s %j answers %i', async (method, params, code, text) => {
  const { error } = await rpc(up.rpc, method, params)
  expect(error?.code).toBe(code)
  expect(error?.message).toContain(text)
})

test('unaffordable, underpriced and foreign transactions are refused in words that clients match', async () => {
  const chain = (id: number) =>
    defineChain({
      id,
      name: 'x',
      nativeCurrency: { name: 'x', symbol: 'x', decimals: 18 },
      rpcUrls: { default: { http: [up.rpc] } },
    })
  const poor = createWalletClient({
    chain: chain(up.chainId),
    account: privateKeyToAccount(generatePrivateKey()),
    transport: http(),
  })
  const rich = createWalletClient({
    chain: chain(up.chainId),
    account: privateKeyToAccount(up.accounts[6]!.privateKey),
    transport: http(),
  })
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n, gas: 21_000n, nonce: 0 }
  const to = up.accounts[0]!.address
  const send = async (transaction: `0x${string}`) =>
    (await rpc(up.rpc, 'eth_sendRawTransaction', [transaction])).error?.message ?? ''
  expect(
    await send(await poor.signTransaction({ to, value: 1n, ...fees, type: 'eip1559' })),
  ).toContain('insufficient funds for gas * price + value')
  expect(
    await send(await rich.signTransaction({ to, ...fees, gas: 20_000n, type: 'eip1559' })),
  ).toContain('intrinsic gas too low')
  expect(
    await send(await rich.signTransaction({ to, ...fees, gas: 2n ** 40n, type: 'eip1559' })),
  ).not.toBe('')
  expect(
    await send(await rich.account.signTransaction({ to, ...fees, type: 'eip1559', chainId: 1 })),
  ).toContain('chain')
  const valid = await rich.signTransaction({ to, ...fees, nonce: 5, type: 'eip1559' })
  expect(await send(valid)).toBe('')
  expect(await send(valid)).toContain('already known')
  const cheaper = await rich.signTransaction({ to, ...fees, nonce: 5, value: 1n, type: 'eip1559' })
  expect(await send(cheaper)).toContain('replacement transaction underpriced')
})

test('an oversize body is a 413', async () => {
  expect((await raw(`"${'x'.repeat(6_000_000)}"`)).status).toBe(413)
})

// Holds D50.
test('a foreign Host, a foreign Origin and a simple cross-site POST get nowhere', async () => {
  const plain = await raw('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}', {
    'content-type': 'text/plain',
  })
  expect(plain.status).toBe(415)
  const crossSite = await raw('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}', {
    origin: 'https://evil.example',
  })
  expect(crossSite.headers.get('access-control-allow-origin')).toBeNull()
})

test('an endless loop in eth_call ends with a time-out or out of gas while other calls go on', async () => {
  const loop = rpc(up.rpc, 'eth_call', [{ to: null, data: '0x5b600056' }, 'latest'])
  const started = Date.now()
  expect((await rpc(up.rpc, 'eth_blockNumber')).result).toMatch(/^0x/)
  expect(Date.now() - started).toBeLessThan(2000)
  expect((await loop).error).toBeDefined()
})
