import type { SenderSignature } from '../../chain/transaction.ts'

/** Recovers the signer's 20-byte address; undefined when the signature is invalid. May be asynchronous. */
export type RecoverSender = (
  signature: SenderSignature,
) => Uint8Array | undefined | Promise<Uint8Array | undefined>
