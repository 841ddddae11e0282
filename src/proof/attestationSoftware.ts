/**
 * Documents of workers without a TEE (D34): COSE_Sign1 with the payload keys of an AWS Nitro document, signed by an
 * ordinary P-384 key that is in the document itself. They prove which key signed which statement, and nothing more.
 */
import { equalBytes } from '../base/bytes.ts'
import { toHex, type Hex } from '../base/hex.ts'
import { asBytes, asMap } from './attestation/cborFields.ts'
import { AttestationRefused, type Ledger } from './attestation/ledger.ts'
import { decodeCbor } from './cbor.ts'
import { decodeCoseSign1, verifyCoseSign1 } from './cose.ts'

/** Name of the format in `evidence.format`. */
export const SOFTWARE_FORMAT = 'software-cose-v1'

/** Every such document's `module_id` starts with this. */
export const SOFTWARE_MODULE_PREFIX = 'software-insecure-'

const MAX_DOCUMENT_LENGTH = 16_384

/**
 * Verifies a document. `trusted` are hex public keys (SEC1, uncompressed). Throws AttestationRefused with the reason, and
 * other errors on malformed bytes.
 */
export function verifySoftwareDocument(
  ledger: Ledger,
  document: Uint8Array,
  expected: { readonly statementHash: Uint8Array; readonly nonce: Uint8Array },
  trusted: 'refuse' | 'any' | readonly Hex[],
): void {
  if (trusted === 'refuse') throw new AttestationRefused('software evidence is not trusted here')
  if (document.length > MAX_DOCUMENT_LENGTH) throw new SyntaxError('it is too long')
  const envelope = decodeCoseSign1(document)
  const payload = asMap(decodeCbor(envelope.payload), 'the payload')
  const moduleId = payload.get('module_id')
  ledger.require(
    typeof moduleId === 'string' && moduleId.startsWith(SOFTWARE_MODULE_PREFIX),
    'the document names itself one of a software worker',
    'module_id is not one of a software worker',
  )
  const publicKey = asBytes(payload.get('public_key'), 'public_key')
  ledger.require(
    trusted === 'any' || trusted.includes(toHex(publicKey)),
    trusted === 'any' ? 'any software key is trusted here' : 'the software key is trusted',
    'the key is not trusted',
  )
  ledger.require(
    verifyCoseSign1(envelope, publicKey),
    'the document is signed with the key it names',
    'the signature does not hold',
  )
  ledger.require(
    equalBytes(asBytes(payload.get('user_data'), 'user_data'), expected.statementHash),
    'user_data is the hash of the statement',
    'user_data is not the hash of this statement',
  )
  ledger.require(
    equalBytes(asBytes(payload.get('nonce'), 'nonce'), expected.nonce),
    "nonce is the dispatcher's seed",
    "nonce is not the dispatcher's seed",
  )
}
