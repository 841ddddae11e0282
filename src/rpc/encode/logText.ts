/** Logs as JSON text, from where they are stored, by a module of WebAssembly that is compiled from logText.as.ts. */
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

/** Bytes of a record that are taken at once, unless one log is longer. */
const STRETCH = 64 * 1024
/** Bytes of text after which it is passed on. */
const TEXT = 128 * 1024

const COMMA = 0x2c

const wasm = instantiateWasm(compileWasm(LOG_TEXT_WASM)) as LogTextModule
wasm.reserve(STRETCH, TEXT)
const COMMON = wasm.common()
const INPUT = wasm.input()
let output = wasm.output()
let memory = new Uint8Array(wasm.memory.buffer)
let longest = STRETCH

function makeRoomFor(stretch: number): void {
  if (stretch <= longest) return
  wasm.reserve(stretch, TEXT)
  longest = stretch
  output = wasm.output()
  memory = new Uint8Array(wasm.memory.buffer)
}

/**
 * Writes the logs at the places first…end-1 of a record, with commas between them. `common` gives what stands between the data
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
  /** What of the record stands at INPUT. */
  let from = 0
  let to = 0
  let transaction = -1
  let commonLength = 0
  const last = end > first ? (places[end - 1] as LogPlace) : undefined
  const lastByte = last === undefined ? 0 : last.dataAt + last.dataLength

  function flush(): void {
    json.bytes(memory.subarray(output, at))
    at = output
  }

  for (let index = first; index < end; index++) {
    const place = places[index] as LogPlace
    const { addressAt, dataAt, dataLength, transactionIndex } = place
    if (dataAt + dataLength > to) {
      const need = dataAt + dataLength - addressAt
      flush()
      makeRoomFor(need)
      from = addressAt
      to = Math.min(addressAt + Math.max(need, STRETCH), lastByte)
      memory.set(record.subarray(from, to), INPUT)
      // Making room may have moved the output.
      at = output
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
