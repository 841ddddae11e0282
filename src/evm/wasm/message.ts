/** Writes a message and its block to where the core reads them (MESSAGE and ENVIRONMENT in core/layout.as.ts). */
import { fromHex } from '../../base/hex.ts'
import { contractAddress } from '../contractAddress.ts'
import type { BlockEnvironment, Message } from '../types.ts'
import type { Instance } from './instance.ts'
import { ENVIRONMENT, EXCHANGE, MESSAGE } from './memory.ts'

const WORD = 32

function writeBlock({ memory }: Instance, block: BlockEnvironment): void {
  memory.writeBytesAsWord(ENVIRONMENT + 2 * WORD, block.coinbase)
  memory.writeWord(ENVIRONMENT + 3 * WORD, block.timestamp)
  memory.writeWord(ENVIRONMENT + 4 * WORD, BigInt(block.height))
  memory.writeBytesAsWord(ENVIRONMENT + 5 * WORD, block.prevRandao)
  memory.writeWord(ENVIRONMENT + 6 * WORD, block.gasLimit)
  memory.writeWord(ENVIRONMENT + 7 * WORD, block.chainId)
  memory.writeWord(ENVIRONMENT + 8 * WORD, block.baseFeePerGas)
  memory.writeWord(ENVIRONMENT + 9 * WORD, block.blobBaseFee)
}

function warmUp({ core, memory }: Instance, message: Message): void {
  for (const { address, storageKeys } of message.accessList) {
    memory.writeBytesAsWord(EXCHANGE, address)
    core.warmUpAddress()
    for (const key of storageKeys) {
      memory.writeBytesAsWord(EXCHANGE, address)
      memory.writeBytesAsWord(EXCHANGE + WORD, key)
      core.warmUpStorage()
    }
  }
}

/** Prepares the core for a message. Returns the address that it calls or creates. */
export function writeMessage(
  instance: Instance,
  message: Message,
  block: BlockEnvironment,
): Uint8Array {
  const { core, memory } = instance
  const input = core.begin(message.data.length)
  memory.bytes().set(message.data, input)
  for (const [address, number] of block.precompiles ?? []) {
    memory.writeBytesAsWord(EXCHANGE, fromHex(address))
    core.movePrecompile(number)
  }
  if (instance.block !== block) writeBlock(instance, block)
  instance.block = block
  memory.writeBytesAsWord(ENVIRONMENT, message.origin)
  memory.writeWord(ENVIRONMENT + WORD, message.gasPrice)
  const target = message.to ?? contractAddress(message.caller, message.nonce)
  memory.writeBytesAsWord(MESSAGE, message.caller)
  memory.writeBytesAsWord(MESSAGE + WORD, target)
  memory.writeWord(MESSAGE + 2 * WORD, message.value)
  const blobs = message.blobVersionedHashes ?? []
  const blobsAt = blobs.length === 0 ? 0 : core.reserve(blobs.length * WORD)
  blobs.forEach((hash, index) => memory.writeBytesAsWord(blobsAt + index * WORD, hash))
  const view = memory.view()
  view.setBigInt64(MESSAGE + 96, message.gasLimit, true)
  view.setUint32(MESSAGE + 104, message.data.length, true)
  view.setUint32(MESSAGE + 108, message.to === undefined ? 1 : 0, true)
  view.setUint32(MESSAGE + 112, blobsAt, true)
  view.setUint32(MESSAGE + 116, blobs.length, true)
  warmUp(instance, message)
  return target
}
