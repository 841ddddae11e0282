/** Parameters that the personal_* methods share. They are secrets: no schema repeats a value in its error. */
import { z } from 'zod'
import { text } from '../../../base/boundedSchema.ts'
import { BOUNDS } from '../../../base/bounds.ts'

/** A passphrase; the empty one is allowed, as in go-ethereum. */
export const passphrase = text(BOUNDS.passphrase).meta({ description: 'passphrase' })

/** The URL of a wallet (D15). */
export const walletUrl = z.string().max(2048).meta({ description: 'wallet URL: keystore://<name>' })
