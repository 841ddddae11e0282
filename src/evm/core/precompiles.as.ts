// Precompiles. Two are implemented here, because a call into the host would cost more than they do (identity) or
// because they are fast enough nowhere else (BLAKE2b); the others are in the host (src/evm/wasm/precompiles).
import { compress } from './blake2.as'
import { OUT_OF_GAS, PRECOMPILE_FAILED } from './halts.as'
import { runPrecompile } from './host.as'
import { SCRATCH } from './layout.as'
import { allocateReturnData, setReturnData } from './returnData.as'

const IDENTITY: u32 = 4
const BLAKE2F: u32 = 9
const BLAKE2F_INPUT: u32 = 213

/** Runs the precompile at an address and sets the return data. Returns the remaining gas, or why it failed. */
export function precompile(address: u32, input: usize, length: u32, gas: i64): i64 {
  if (address == IDENTITY) return identity(input, length, gas)
  if (address == BLAKE2F) return blake2f(input, length, gas)
  return runPrecompile(address, input, length, gas)
}

function identity(input: usize, length: u32, gas: i64): i64 {
  const left = gas - 15 - 3 * ((<i64>length + 31) >> 5)
  if (left < 0) return OUT_OF_GAS
  setReturnData(input, length)
  return left
}

/** EIP-152. The input is not aligned, so it is copied: state, message and counter, after four bytes of rounds. */
function blake2f(input: usize, length: u32, gas: i64): i64 {
  if (length != BLAKE2F_INPUT || load<u8>(input + 212) > 1) return PRECOMPILE_FAILED
  const rounds = bswap<u32>(load<u32>(input))
  const left = gas - <i64>rounds
  if (left < 0) return OUT_OF_GAS
  memory.copy(SCRATCH, input + 4, 208)
  const output = allocateReturnData(64)
  compress(rounds, SCRATCH, SCRATCH + 64, SCRATCH + 192, load<u8>(input + 212) == 1, output)
  return left
}
