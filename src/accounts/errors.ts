/** Why an account could not be used. The messages are go-ethereum's, because clients match on them (D12, D43). */

const MESSAGES = {
  unknown: 'no key for given address or file',
  locked: 'authentication needed: password or unlock',
  'wrong-passphrase': 'could not decrypt key with given password',
  exists: 'account already exists',
  'invalid-key': 'invalid private key',
  'unsupported-file': 'unsupported key file',
  'wallet-url': 'unsupported wallet URL',
  'wallet-exists': 'wallet is initialized already',
  'unknown-wallet': 'unknown wallet',
} as const

/** A failure of the key store or of an unlock. It never contains a key or a passphrase. */
export class AccountError extends Error {
  override readonly name = 'AccountError'
  readonly code: keyof typeof MESSAGES

  constructor(code: keyof typeof MESSAGES, detail?: string) {
    super(detail === undefined ? MESSAGES[code] : `${MESSAGES[code]}: ${detail}`)
    this.code = code
  }
}
