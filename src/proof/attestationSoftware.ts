/**
 * Documents of workers without a TEE (D34): COSE_Sign1 with the payload keys of an AWS Nitro document, signed by an ordinary
 * P-384 key that stands in the document itself. They prove which key vouched for which statement, and nothing more.
 */
import { fromBase64 } from '../base/base64.ts'
import { equalBytes } from '../base/bytes.ts'
import { toHex, type Hex } from '../base/hex.ts'
import { decodeCbor, type CborKey, type CborValue } from './cbor.ts'
import { decodeCoseSign1, verifyCoseSign1 } from './cose.ts'

/** Name of the format in `evidence.format`. */
export const SOFTWARE_FORMAT = 'software-cose-v1'

/** Every such document's `module_id` starts with this. */
export const SOFTWARE_MODULE_PREFIX = 'software-insecure-'

const MAX_DOCUMENT_LENGTH = 16_384

/** '' when the document holds, otherwise why it does not. `trusted` are hex public keys (SEC1, uncompressed). */
export function verifySoftwareDocument(
  document: string,
  expected: { readonly statementHash: Uint8Array; readonly nonce: Uint8Array },
  trusted: 'refuse' | 'any' | readonly Hex[],
): string {
  if (trusted === 'refuse') return 'software evidence is not trusted here'
  const bytes = document.length > MAX_DOCUMENT_LENGTH ? undefined : fromBase64(document)
  if (bytes === undefined) return 'the document is not base64 or too long'
  try {
    const envelope = decodeCoseSign1(bytes)
    const payload = decodeCbor(envelope.payload)
    if (!(payload instanceof Map)) return 'the payload is not a map'
    return verifyPayload(payload as ReadonlyMap<CborKey, CborValue>, expected, (publicKey) => {
      if (trusted !== 'any' && !trusted.includes(toHex(publicKey))) return 'the key is not trusted'
      return verifyCoseSign1(envelope, publicKey) ? '' : 'the signature does not hold'
    })
  } catch (error) {
    return error instanceof Error ? error.message : 'the document cannot be read'
  }
}

function verifyPayload(
  payload: ReadonlyMap<CborKey, CborValue>,
  expected: { readonly statementHash: Uint8Array; readonly nonce: Uint8Array },
  verifySignature: (publicKey: Uint8Array) => string,
): string {
  const moduleId = payload.get('module_id')
  if (typeof moduleId !== 'string' || !moduleId.startsWith(SOFTWARE_MODULE_PREFIX))
    return 'module_id is not one of a software worker'
  const publicKey = payload.get('public_key')
  if (!(publicKey instanceof Uint8Array)) return 'public_key is missing'
  const refusal = verifySignature(publicKey)
  if (refusal !== '') return refusal
  if (!isBytes(payload.get('user_data'), expected.statementHash))
    return 'user_data is not the hash of this statement'
  if (!isBytes(payload.get('nonce'), expected.nonce)) return "nonce is not the dispatcher's seed"
  return ''
}

function isBytes(value: CborValue | undefined, expected: Uint8Array): boolean {
  return value instanceof Uint8Array && equalBytes(value, expected)
}
