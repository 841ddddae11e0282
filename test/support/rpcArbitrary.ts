/** Requests of the JSON-RPC, made from its own OpenRPC document: fitting ones, nearly fitting ones, and hostile ones. */
import fc from 'fast-check'
import { anything, fitting, type Hint, type JsonSchema } from './schemaArbitrary.ts'

export type RpcRequest = { readonly method: string; readonly params: unknown }

export type RpcDocument = {
  readonly methods: readonly {
    readonly name: string
    readonly params: readonly {
      readonly name: string
      readonly required: boolean
      readonly schema: JsonSchema
    }[]
    readonly result: { readonly schema: JsonSchema }
  }[]
}

/** What exists on the tested node. Lists may grow during the run. */
export type KnownThings = {
  readonly addresses: readonly string[]
  readonly hashes: readonly string[]
  readonly raws: readonly string[]
  readonly ids: readonly string[]
  readonly passphrase: string
}

const TRACERS = ['callTracer', 'flatCallTracer', 'prestateTracer', '4byteTracer', 'noopTracer']
const TAGS = ['latest', 'latest', 'pending', 'earliest', 'safe', 'finalized']
const TYPED_DATA = {
  types: { EIP712Domain: [{ name: 'name', type: 'string' }], A: [{ name: 'b', type: 'uint256' }] },
  primaryType: 'A',
  domain: { name: 'x' },
  message: { b: '1' },
}

const hex = (size: number): fc.Arbitrary<string> =>
  fc
    .uint8Array({ minLength: size, maxLength: size })
    .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)

const small = fc.nat(6).map((number) => `0x${number.toString(16)}`)
const quantity = fc.oneof(
  { weight: 3, arbitrary: small },
  { weight: 3, arbitrary: fc.nat(1_000_000).map((number) => `0x${number.toString(16)}`) },
  fc.bigInt(0n, 2n ** 256n).map((number) => `0x${number.toString(16)}`),
)
const data = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('0x', '0x5f5ffd', '0x4343555f5fa000') },
  // Code that uses all the gas there is, and all the time of a tracer.
  { weight: 1, arbitrary: fc.constant('0x5b5f56') },
  { weight: 12, arbitrary: fc.nat(40).chain(hex) },
)
/** Fees that are not given, that are enough, and any. */
const fee = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<unknown>(null, '0x77359400') },
  { weight: 1, arbitrary: quantity },
)

/** One of a list that may be empty now and grow later. */
function oneOf(list: readonly string[]): fc.Arbitrary<string> {
  return fc.nat().map((at) => list[at % list.length] ?? '0x1')
}

const seldom = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, value)

/** Values by what the document says about a place. */
function hintsFor(known: KnownThings): Hint {
  const address = fc.oneof(
    { weight: 5, arbitrary: oneOf(known.addresses) },
    fc.nat(20).map((number) => `0x${number.toString(16).padStart(40, '0')}`),
    hex(20),
  )
  const hash = fc.oneof({ weight: 5, arbitrary: oneOf(known.hashes) }, hex(32))
  const block = fc.oneof(fc.constantFrom(...TAGS), small)
  const selector = fc.oneof(
    { weight: 5, arbitrary: block },
    hash,
    hash.map((blockHash) => ({ blockHash })),
    small.map((blockNumber) => ({ blockNumber })),
  )
  const byDescription: readonly (readonly [string, fc.Arbitrary<unknown>])[] = [
    ['address', address],
    ['hash', hash],
    ['QUANTITY', quantity],
    ['DATA', data],
    ['block number (', block],
    ['block number,', selector],
    ['whole number', small],
    ['storage position', fc.oneof(small, hex(32), fc.nat(9))],
    ['filter id', oneOf(known.ids)],
    ['subscription id', oneOf(known.ids)],
    ['newHeads, logs', fc.constantFrom('newHeads', 'logs', 'newPendingTransactions', 'syncing')],
    ['message', data],
    ['passphrase', fc.constantFrom(known.passphrase, known.passphrase, '')],
    ['seconds, as', fc.nat(300)],
    ['private key', hex(32).map((key) => key.slice(2))],
    ['typed data', fc.constant(TYPED_DATA)],
    ['wallet URL', fc.constantFrom('keystore://one', 'keystore://two')],
    ['longest wait', fc.integer({ min: 1, max: 100 })],
  ]
  const byName: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    tracer: fc.constantFrom(...TRACERS, '', 'muxTracer', 'noTracer'),
    tracerConfig: fc.constantFrom({}, { diffMode: true }, { withLog: true }, { callTracer: {} }),
    gas: fc.constantFrom<unknown>('0x7a120', '0x7a120', null, '0x5208'),
    gasLimit: fc.constantFrom<unknown>(null, null, '0x7a120', '0x5'),
    gasPrice: fee,
    maxFeePerGas: fee,
    maxPriorityFeePerGas: seldom(quantity),
    nonce: fc.oneof(fc.constant(null), small),
    chainId: seldom(fc.constantFrom('0x425d4', '0x1')),
    input: seldom(data),
    blobVersionedHashes: seldom(fc.array(hash, { maxLength: 2 })),
    authorizationList: seldom(
      fc.array(
        fc.record({
          chainId: fc.constantFrom('0x0', '0x425d4'),
          address,
          nonce: small,
          yParity: fc.constantFrom('0x0', '0x1'),
          r: quantity,
          s: quantity,
        }),
        { maxLength: 2 },
      ),
    ),
    // Of calls; a value that can be paid.
    value: fc.constantFrom<unknown>(null, '0x0', '0x1', '0x2'),
    limit: fc.nat(20),
    count: fc.nat(20),
    transactionIndex: fc.oneof(fc.nat(2), small),
    timestamp: fc.oneof(small, fc.integer({ min: 1_900_000_000, max: 4_000_000_000 })),
    options: fc.constantFrom<unknown>(null, {}, true, '0x1', { includeTransactions: true }),
    timeout: fc.constantFrom<unknown>(null, '5s', '100ms', 50),
    blocks: small,
    // Of blocks: one each millisecond would be all that the node does from then on.
    interval: fc.constantFrom<unknown>(0, 60_000, '0x2710'),
  }
  return (name, { description }) => {
    if ((name === 'transaction' || name === 'blockRlp') && description === 'DATA')
      return fc.oneof({ weight: 3, arbitrary: oneOf(known.raws) }, data)
    if (name === 'signature')
      return fc.oneof(
        hex(64).map((rs) => `${rs}1b`),
        hex(65),
        data,
      )
    if (Object.hasOwn(byName, name) && description !== 'DATA') return byName[name]
    if (typeof description !== 'string') return undefined
    return byDescription.find(([words]) => description.startsWith(words))?.[1]
  }
}

/** A value with one part replaced, removed, or doubled. */
function spoilt(value: unknown, at: number, other: unknown, how: number): unknown {
  if (typeof value !== 'object' || value === null) return other
  const copy = structuredClone(value) as Record<string, unknown>
  const keys = Object.keys(copy)
  const key = keys[at % Math.max(1, keys.length)]
  if (key === undefined) return other
  const inner = copy[key]
  if (how === 0 && Array.isArray(copy)) copy.push(inner)
  else if (how === 1 && !Array.isArray(copy)) delete copy[key]
  else copy[key] = how === 2 ? other : spoilt(inner, at >> 3, other, how)
  return copy
}

const mutations = fc.tuple(fc.nat(), anything, fc.nat(4))

/** Requests of all methods, seldom of those in `seldom`, and mutations of recorded ones. */
export function rpcRequests(
  document: RpcDocument,
  known: KnownThings,
  recorded: readonly RpcRequest[],
  seldom: ReadonlySet<string>,
): fc.Arbitrary<RpcRequest> {
  const hint = hintsFor(known)
  const ofMethod = ({ name, params }: RpcDocument['methods'][number]) => {
    const values = params.map(({ name: param, schema, required }) => {
      const value = fitting(schema, hint, param)
      return required ? value : fc.option(value, { nil: undefined, freq: 2 })
    })
    const fit = fc.tuple(...values).map((list) => {
      const end = list.findLastIndex((value) => value !== undefined) + 1
      return list.slice(0, end).map((value) => value ?? null)
    })
    return fc
      .oneof(
        { weight: 6, arbitrary: fit },
        {
          weight: 3,
          arbitrary: fc.tuple(fit, mutations).map(([list, [at, other, how]]) => {
            return spoilt(list, at, other, how)
          }),
        },
        { weight: 1, arbitrary: fc.array(anything, { maxLength: 4 }) },
        { weight: 1, arbitrary: anything },
      )
      .map((given): RpcRequest => ({ method: name, params: given }))
  }
  const made = fc.oneof(
    ...document.methods.map((method) => ({
      weight: seldom.has(method.name) ? 1 : 100,
      arbitrary: ofMethod(method),
    })),
  )
  if (recorded.length === 0) return made
  const again = fc
    .tuple(fc.constantFrom(...recorded), mutations)
    .map(([{ method, params }, [at, other, how]]) => ({
      method,
      params: how === 4 ? params : spoilt(params, at, other, how),
    }))
  return fc.oneof({ weight: 4, arbitrary: made }, { weight: 1, arbitrary: again })
}
