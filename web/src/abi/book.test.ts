import {
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  parseAbi as parseViemAbi,
} from 'viem'
import { expect, test } from 'vitest'
import { decodeCall, decodeEvent, decodeRevert } from './book.ts'
import { parseAbi } from './parse.ts'

const TOKEN = '0x00000000000000000000000000000000000000aa'
const FRIEND = '0x00000000000000000000000000000000000000bb'
const nothing = () => undefined

const TRANSFER = parseViemAbi(['function transfer(address to, uint256 amount)'])
const TRANSFERRED = parseViemAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

test('a call is named by its ABI, and otherwise guessed', () => {
  const data = encodeFunctionData({ abi: TRANSFER, args: [FRIEND, 5n] })
  const guessed = decodeCall(nothing, TOKEN, data)
  expect(guessed).toMatchObject({ isGuess: true, values: [FRIEND, 5n] })
  expect(guessed?.item.name).toBe('transfer')
  const own = parseAbi(JSON.stringify(TRANSFER))
  const named = decodeCall((address) => (address === TOKEN ? own : undefined), TOKEN, data)
  expect(named).toMatchObject({ isGuess: false, values: [FRIEND, 5n] })
  expect(named?.inputs.map(({ name }) => name)).toEqual(['to', 'amount'])
})

test('data that a guess would encode differently is not guessed', () => {
  const data = encodeFunctionData({ abi: TRANSFER, args: [FRIEND, 5n] })
  expect(decodeCall(nothing, TOKEN, `${data}00`)).toBeUndefined()
  expect(decodeCall(nothing, TOKEN, data.slice(0, -2))).toBeUndefined()
  expect(decodeCall(nothing, TOKEN, '0x12345678')).toBeUndefined()
  expect(decodeCall(nothing, TOKEN, '0x')).toBeUndefined()
})

test('an event is read from its topics and data, whichever inputs are indexed', () => {
  const topics = encodeEventTopics({ abi: TRANSFERRED, args: { from: TOKEN, to: FRIEND } })
  const data = encodeAbiParameters([{ type: 'uint256' }], [7n])
  const fungible = decodeEvent(nothing, { address: TOKEN, topics: topics as string[], data })
  expect(fungible).toMatchObject({ isGuess: true, values: [TOKEN, FRIEND, 7n] })
  const id = encodeAbiParameters([{ type: 'uint256' }], [9n])
  const unique = decodeEvent(nothing, {
    address: TOKEN,
    topics: [...(topics as string[]), id],
    data: '0x',
  })
  expect(unique?.values).toEqual([TOKEN, FRIEND, 9n])
  expect(decodeEvent(nothing, { address: TOKEN, topics: [], data })).toBeUndefined()
  expect(
    decodeEvent(nothing, { address: TOKEN, topics: topics as string[], data: '0x00' }),
  ).toBeUndefined()
})

test('reverts of the compiler are words', () => {
  const error = parseViemAbi(['function Error(string reason)'])
  const data = encodeFunctionData({ abi: error, args: ['no <b>money</b>'] })
  expect(decodeRevert(nothing, TOKEN, data)?.values).toEqual(['no <b>money</b>'])
})
