/**
 * Writes logs as JSON text from their stored form, with a WebAssembly module compiled from logText.as.ts.
 *
 * Some functions take more than five parameters: only numbers can be passed between WebAssembly and its host, and a
 * record in memory would have to be written and read in every call.
 */
import type { JsonBytes } from '../../base/jsonBytes.ts'
import { compileWasm, instantiateWasm, type WasmMemory } from '../../base/wasm.ts'
import type { LogPlace } from '../../chain/reader.ts'
import { LOG_TEXT_WASM } from '../../generated/logText.ts'

type LogTextModule = {
  readonly memory: WasmMemory
  common(): number
  input(): number
  output(): number
  reserve(input: number, text: number): void
  writeLog(
    to: number,
    from: number,
    data: number,
    dataLength: number,
    commonLength: number,
    index: number,
  ): number
}

/**
 * Maximum number of bytes of a record read at once, unless one log is longer, and maximum gap of unwanted bytes read
 * along with them.
 */
const STRETCH = 64 * 1024
const GAP = 128
/** The text is passed on when it has this many bytes. */
const TEXT = 128 * 1024

const COMMA = 0x2c

const wasm = instantiateWasm(compileWasm(LOG_TEXT_WASM)) as LogTextModule
wasm.reserve(STRETCH, TEXT)
const COMMON = wasm.common()
const INPUT = wasm.input()
let output = wasm.output()
let memory = new Uint8Array(wasm.memory.buffer)
let longest = STRETCH

/** Called for a longer slice than any before. The output moves, and its contents are lost. */
function makeRoomFor(stretch: number): void {
  wasm.reserve(stretch, TEXT)
  longest = stretch
  output = wasm.output()
  memory = new Uint8Array(wasm.memory.buffer)
}

function endOf({ dataAt, dataLength }: LogPlace): number {
  return dataAt + dataLength
}

/** End of the slice that begins with the log at a position: after the last log that is near enough. */
function endOfStretch(places: readonly LogPlace[], first: number, end: number): number {
  const { addressAt } = places[first] as LogPlace
  let to = endOf(places[first] as LogPlace)
  for (let index = first + 1; index < end; index++) {
    const place = places[index] as LogPlace
    if (place.addressAt - to > GAP || endOf(place) - addressAt > STRETCH) break
    to = endOf(place)
  }
  return to
}

/**
 * Writes the logs at positions first…end-1 of a record, separated by commas. `common` returns the text between the data
 * and the index of a transaction's logs: at most 1024 bytes of ASCII.
 */
export function writeLogText(
  json: JsonBytes,
  record: Uint8Array,
  places: readonly LogPlace[],
  { first, end }: { readonly first: number; readonly end: number },
  common: (place: LogPlace) => Uint8Array,
): void {
  let at = output
  /** Start of the part of the record that is at INPUT. */
  let from = 0
  let to = 0
  let transaction = -1
  let commonLength = 0

  function flush(): void {
    json.bytes(memory.subarray(output, at))
    at = output
  }

  for (let index = first; index < end; index++) {
    const place = places[index] as LogPlace
    const { addressAt, dataAt, dataLength, transactionIndex } = place
    if (dataAt + dataLength > to) {
      from = addressAt
      to = endOfStretch(places, index, end)
      if (to - from > longest) {
        flush()
        makeRoomFor(to - from)
        at = output
      }
      memory.set(record.subarray(from, to), INPUT)
    }
    if (transactionIndex !== transaction) {
      transaction = transactionIndex
      const text = common(place)
      memory.set(text, COMMON)
      commonLength = text.length
    }
    if (index > first) memory[at++] = COMMA
    at = wasm.writeLog(
      at,
      INPUT + addressAt - from,
      INPUT + dataAt - from,
      dataLength,
      commonLength,
      place.logIndex,
    )
    if (at - output > TEXT) flush()
  }
  flush()
}
