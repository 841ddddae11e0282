// Log records (LOG0 … LOG4) on the heap, each pointing to the previous one (logList.as.ts).
//
// A record: the previous record (u32), number of topics (u32), length of the data (u32), 4 unused bytes, the address
// (20 bytes in 24), the topics (32 bytes each), the data.
import { addressOf } from './accounts.as'
import { Frame } from './frames.as'
import { LOG_BYTE } from './gas.as'
import { OUT_OF_GAS, WRITE_PROTECTION } from './halts.as'
import { reserve } from './heap.as'
import { appendLog, lastLog, logCount } from './logList.as'
import { expand, rangeAt } from './memory.as'
import { traceLog } from './trace.as'
import { writeAddress, writeBytes } from './words.as'

/** LOG with `topics` topics; on the stack are the offset (top), the length, then the topics. */
export function emitLog(frame: Frame, top: usize, topics: u32, gas: i64): i64 {
  if (frame.isStatic) return WRITE_PROTECTION
  const length = top - 32
  let left = expand(frame, top, length, gas)
  if (left < 0) return left
  const size = load<u32>(length)
  left -= LOG_BYTE * <i64>size
  if (left < 0) return OUT_OF_GAS
  const record = reserve(40 + (topics << 5) + size)
  store<u32>(record, <u32>lastLog())
  store<u32>(record, topics, 4)
  store<u32>(record, size, 8)
  writeAddress(record + 16, addressOf(frame.self))
  let to = record + 40
  for (let topic: u32 = 0; topic < topics; topic++) {
    writeBytes(to, length - ((topic + 1) << 5))
    to += 32
  }
  memory.copy(to, rangeAt(frame, top, length), size)
  appendLog(record)
  traceLog(record, logCount() - 1)
  return left
}
