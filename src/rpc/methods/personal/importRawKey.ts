import { scalarText } from '../../../base/boundedSchema.ts'
import { tryFromAnyHex } from '../../../base/hex.ts'
import { isPrivateKey } from '../../../base/secp256k1.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { orAccountFailure } from '../../sending/accountErrors.ts'
import type { World } from '../../world.ts'
import { addressResult } from '../../encode/results.ts'
import { passphrase } from './schemas.ts'

/**
 * 32 bytes as hex digits without 0x. Throws RpcError with go-ethereum's message, which names a character but never the
 * key.
 */
function keyOf(digits: string): Uint8Array {
  const odd = /[^0-9a-f]/i.exec(digits)?.[0]
  if (odd !== undefined)
    throw new RpcError('server', `invalid hex character '${odd}' in private key`)
  const key = tryFromAnyHex(digits)
  if (key?.length !== 32) throw new RpcError('server', 'invalid length, need 256 bits')
  if (!isPrivateKey(key)) throw new RpcError('server', 'invalid private key')
  return key
}

export const personal_importRawKey = method({
  // See D43.
  summary:
    'Stores a private key (hex digits without 0x), encrypted with a passphrase, and returns its address.',
  params: {
    privateKey: scalarText().meta({ description: 'private key: 64 hex digits' }),
    passphrase,
  },
  result: addressResult,
  handler: ({ accounts }: Pick<World, 'accounts'>, { privateKey, passphrase }) =>
    orAccountFailure(accounts.importKey(keyOf(privateKey), passphrase)),
})
