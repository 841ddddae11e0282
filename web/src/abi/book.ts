/**
 * Decodes calls, events and errors: by the ABI that a user gave for a contract, or guessed from well-known signatures.
 */
import { bytesToHex, hexToBytes } from '../format/hex.ts'
import { keccak256 } from '../proof/hashes.ts'
import { decodeValues } from './decode.ts'
import { encodeValues } from './encode.ts'
import { SIGNATURES } from './known.signatures'
import { parseSignature } from './parse.ts'
import {
  AbiError,
  isDynamic,
  signatureOf,
  type AbiInput,
  type AbiItem,
  type AbiValue,
} from './types.ts'

export type Decoded = {
  readonly item: AbiItem
  readonly inputs: readonly AbiInput[]
  /** In the order of the inputs. An indexed value that was hashed is the hash. */
  readonly values: readonly AbiValue[]
  /** Whether it is guessed from a table of well-known signatures instead of the contract's ABI. */
  readonly isGuess: boolean
}

/** The ABI of a contract, if one was given. */
export type AbiOf = (address: string) => readonly AbiItem[] | undefined

function hashOf(item: AbiItem): string {
  return bytesToHex(keccak256(new TextEncoder().encode(signatureOf(item)))).slice(2)
}

/** The selector of a function, as 0x and hex digits. */
export function selectorOf(item: AbiItem): string {
  return `0x${hashOf(item).slice(0, 8)}`
}

/** The first topic of an event's logs, unless it is anonymous. */
export function topicOf(item: AbiItem): string {
  return `0x${hashOf(item)}`
}

function guess(kind: AbiItem['kind'], key: string): AbiItem | undefined {
  const signature = Object.hasOwn(SIGNATURES, key) ? SIGNATURES[key] : undefined
  return signature === undefined ? undefined : parseSignature(kind, signature)
}

function attempt(decode: () => Decoded | undefined): Decoded | undefined {
  try {
    return decode()
  } catch (error) {
    if (error instanceof AbiError) return undefined
    throw error
  }
}

function decodeInputs(item: AbiItem, data: string, isGuess: boolean): Decoded | undefined {
  const types = item.inputs.map((input) => input.type)
  const values = decodeValues(types, hexToBytes(data))
  // Data that would be encoded differently was meant for something else.
  if (isGuess && bytesToHex(encodeValues(types, values)) !== data.toLowerCase()) return undefined
  return { item, inputs: item.inputs, values, isGuess }
}

function decodeBySelector(
  kind: 'function' | 'error',
  abi: readonly AbiItem[] | undefined,
  data: string,
): Decoded | undefined {
  if (data.length < 10) return undefined
  const selector = data.slice(2, 10).toLowerCase()
  const own = abi?.find((item) => item.kind === kind && hashOf(item).startsWith(selector))
  const item = own ?? guess(kind, selector)
  if (item === undefined) return undefined
  return attempt(() => decodeInputs(item, `0x${data.slice(10)}`, own === undefined))
}

/** Decodes call data to a contract. */
export function decodeCall(abiOf: AbiOf, to: string, data: string): Decoded | undefined {
  return decodeBySelector('function', abiOf(to), data)
}

/** Why a call was reverted, from its return data. */
export function decodeRevert(abiOf: AbiOf, to: string, data: string): Decoded | undefined {
  return decodeBySelector('error', abiOf(to), data)
}

/** Which inputs of a guessed event are indexed: as the table says, or else the first ones. */
function withIndexed(item: AbiItem, count: number): readonly AbiInput[] {
  if (item.inputs.filter((input) => input.isIndexed).length === count) return item.inputs
  return item.inputs.map((input, index) => ({ ...input, isIndexed: index < count }))
}

/** The event of a log. */
export function decodeEvent(
  abiOf: AbiOf,
  log: { readonly address: string; readonly topics: readonly string[]; readonly data: string },
): Decoded | undefined {
  const topic = log.topics[0]?.slice(2).toLowerCase()
  if (topic === undefined) return undefined
  const own = abiOf(log.address)?.find(
    (item) => item.kind === 'event' && !item.isAnonymous && hashOf(item) === topic,
  )
  const item = own ?? guess('event', topic)
  if (item === undefined) return undefined
  return attempt(() => {
    const inputs = own === undefined ? withIndexed(item, log.topics.length - 1) : item.inputs
    const inData = inputs.filter((input) => !input.isIndexed)
    const data = decodeValues(
      inData.map((input) => input.type),
      hexToBytes(log.data),
    )
    const topics = log.topics.slice(1)
    const values = inputs.map((input): AbiValue => {
      if (!input.isIndexed) return data[inData.indexOf(input)] ?? ''
      const word = topics.shift()
      if (word === undefined) throw new AbiError('the log has too few topics')
      const isHashed =
        isDynamic(input.type) || input.type.kind === 'tuple' || input.type.kind === 'array'
      return isHashed ? word : (decodeValues([input.type], hexToBytes(word))[0] ?? '')
    })
    return { item, inputs, values, isGuess: own === undefined }
  })
}
