/** Parameters that the personal_* methods share. They are secrets: no schema repeats a value in its error. */
import { z } from 'zod'

/** A passphrase; the empty one is allowed, as in go-ethereum. */
export const passphrase = z.string().meta({ description: 'passphrase' })

/** The URL of a wallet (D15). */
export const walletUrl = z.string().max(2048).meta({ description: 'wallet URL: keystore://<name>' })
