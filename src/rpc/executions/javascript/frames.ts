/** The contract on whose behalf a traced frame runs: what `log.contract` returns. */
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { EnteredCall } from '../../../evm/hooks.ts'
import { contractAddress } from '../../../evm/contractAddress.ts'
import {
  CALLCODE,
  CREATE,
  CREATE2,
  DELEGATECALL,
  SELFDESTRUCT,
} from '../../../evm/tracers/opcodes.ts'
import type { Transactable } from '../../../evm/transactable.ts'

export type Contract = {
  readonly caller: Uint8Array
  readonly address: Uint8Array
  readonly value: bigint
  readonly input: Uint8Array
}

/** The frame of a transaction itself. */
export function outermost({ sender, to, nonce, value, data }: Transactable): Contract {
  return {
    caller: sender,
    address: to ?? contractAddress(sender, nonce),
    value,
    input: to === undefined ? EMPTY_BYTES : data,
  }
}

/** The frame of a call. */
export function inner(outer: Contract, { opcode, from, to, value, input }: EnteredCall): Contract {
  if (opcode === SELFDESTRUCT) return outer
  if (opcode === DELEGATECALL)
    return { caller: outer.caller, address: from, value: outer.value, input }
  const isCreation = opcode === CREATE || opcode === CREATE2
  const address = opcode === CALLCODE ? from : to
  return { caller: from, address, value, input: isCreation ? EMPTY_BYTES : input }
}
