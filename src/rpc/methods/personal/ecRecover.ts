import { messageSigner } from '../../../base/personalMessage.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { data } from '../../../wire/schema.ts'
import { message } from '../../parameters/message.ts'
import { addressResult } from '../../encode/results.ts'

function signerOf(message: Uint8Array, signature: Uint8Array): Uint8Array {
  if (signature.length !== 65) throw new RpcError('server', 'signature must be 65 bytes long')
  if (signature[64] !== 27 && signature[64] !== 28)
    throw new RpcError('server', 'invalid Ethereum signature (V is not 27 or 28)')
  const signer = messageSigner(message, signature)
  if (signer === undefined) throw new RpcError('server', 'recovery failed')
  return signer
}

export const personal_ecRecover = method({
  summary: 'Address of the key that made a personal_sign or eth_sign signature.',
  params: { message, signature: data },
  result: addressResult,
  handler: (_world, { message, signature }) => signerOf(message, signature),
})
