/** The logs of a message including its value transfers, as if Ether were an ERC-20 token (eth_simulateV1). */
import { bigintToFixedBytes, padLeft } from '../../base/bytes.ts'
import { fromHex } from '../../base/hex.ts'
import type { Hooks } from '../../evm/hooks.ts'
import { CALL, CREATE, CREATE2, SELFDESTRUCT } from '../../evm/tracers/opcodes.ts'
import type { Log } from '../../evm/types.ts'

const EMITTER = fromHex('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
/** Keccak-256 of Transfer(address,address,uint256). */
const TRANSFER = fromHex('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const MOVES_VALUE = new Set([CALL, CREATE, CREATE2, SELFDESTRUCT])

function transferLog(from: Uint8Array, to: Uint8Array, value: bigint): Log {
  return {
    address: EMITTER,
    topics: [TRANSFER, padLeft(from, 32), padLeft(to, 32)],
    data: bigintToFixedBytes(value, 32),
  }
}

/** Watches one message from a sender to a target. Logs of failed calls are dropped. */
export function watchTransfers(
  from: Uint8Array,
  to: Uint8Array,
  value: bigint,
): { readonly hooks: Hooks; readonly logs: readonly Log[] } {
  const logs: Log[] = value > 0n ? [transferLog(from, to, value)] : []
  const marks: number[] = []
  return {
    logs,
    hooks: {
      onEnter(call) {
        marks.push(logs.length)
        if (call.value > 0n && MOVES_VALUE.has(call.opcode))
          logs.push(transferLog(call.from, call.to, call.value))
      },
      onLeave({ status }) {
        const mark = marks.pop() ?? 0
        if (status !== 'success') logs.length = mark
      },
      onLog: (log) => void logs.push(log),
    },
  }
}
