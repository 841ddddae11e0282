// The return data of the last call. One buffer is enough: a frame's return data is discarded as soon as it calls again,
// and it cannot run before that call has returned.
import { reserve } from './heap.as'

let buffer: usize = 0
let room: u32 = 0
let length: u32 = 0

export function returnData(): usize {
  return buffer
}

export function returnDataLength(): u32 {
  return length
}

/** Resizes the return data to `size` bytes. Returns the address to write them to. */
export function allocateReturnData(size: u32): usize {
  if (size > room) {
    room = max(size, room << 1)
    buffer = reserve(room)
  }
  length = size
  return buffer
}

export function clearReturnData(): void {
  length = 0
}

export function setReturnData(bytes: usize, size: u32): void {
  memory.copy(allocateReturnData(size), bytes, size)
}

export function resetReturnData(): void {
  buffer = 0
  room = 0
  length = 0
}
