/**
 * The events of a transaction's result in protobuf. Every node encodes those of every transaction for its CometBFT: a
 * seventh of its time, when each field was an array of its own.
 */
import { utf8 } from '../../base/bytes.ts'
import type { ApplicationEvent } from '../application.ts'

/** Field 2 of Event, and fields 1 to 3 of EventAttribute, each with its wire type. */
const LENGTH_DELIMITED = 2
const ATTRIBUTE = 0x12
const NAME = 0x0a
const VALUE = 0x12
const INDEX = 0x18

/** Names are those of our own table; beyond so many they are encoded each time. */
const MAX_NAMES = 1000
const names = new Map<string, Uint8Array>()

function nameOf(text: string): Uint8Array {
  let bytes = names.get(text)
  if (bytes === undefined) {
    bytes = utf8(text)
    if (names.size < MAX_NAMES) names.set(text, bytes)
  }
  return bytes
}

function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++
  return size
}

/** Size of a field with its tag and length; nothing when it is empty, as for strings. */
const stringSize = (length: number): number => (length === 0 ? 0 : messageSize(length))
const messageSize = (length: number): number => 1 + varintSize(length) + length

/** The lengths of the messages in the order in which they are written: each event, then its attributes and values. */
function measure(events: readonly ApplicationEvent[], lengths: number[]): number {
  let total = 0
  for (const { type, attributes } of events) {
    const at = lengths.push(0) - 1
    let event = stringSize(nameOf(type).length)
    for (const { key, value, index } of attributes) {
      const valueLength = Buffer.byteLength(value)
      const attribute = stringSize(nameOf(key).length) + stringSize(valueLength) + (index ? 2 : 0)
      lengths.push(attribute, valueLength)
      event += messageSize(attribute)
    }
    lengths[at] = event
    total += messageSize(event)
  }
  return total
}

function writeHead(into: Buffer, start: number, tag: number, length: number): number {
  let at = start
  into[at++] = tag
  let rest = length
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) into[at++] = (rest % 0x80) | 0x80
  into[at++] = rest
  return at
}

function writeName(into: Buffer, start: number, text: string): number {
  const bytes = nameOf(text)
  if (bytes.length === 0) return start
  const at = writeHead(into, start, NAME, bytes.length)
  into.set(bytes, at)
  return at + bytes.length
}

/** Each event as an element of a repeated field, whose number is below 16. */
export function encodeEvents(field: number, events: readonly ApplicationEvent[]): Uint8Array {
  const lengths: number[] = []
  const bytes = Buffer.allocUnsafe(measure(events, lengths))
  let next = 0
  let at = 0
  const length = (): number => lengths[next++] as number
  for (const { type, attributes } of events) {
    at = writeName(bytes, writeHead(bytes, at, (field << 3) | LENGTH_DELIMITED, length()), type)
    for (const { key, value, index } of attributes) {
      at = writeName(bytes, writeHead(bytes, at, ATTRIBUTE, length()), key)
      const valueLength = length()
      if (valueLength > 0) {
        at = writeHead(bytes, at, VALUE, valueLength)
        at += bytes.write(value, at)
      }
      if (index) {
        bytes[at++] = INDEX
        bytes[at++] = 1
      }
    }
  }
  return bytes
}
