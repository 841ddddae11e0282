/** Messages to sign (D43). */
import { text } from '../../base/boundedSchema.ts'
import { BOUNDS } from '../../base/bounds.ts'
import { utf8 } from '../../base/bytes.ts'
import { tryFromHex } from '../../base/hex.ts'

/** 0x and hex digits are bytes; any other string is UTF-8 text. */
export const message = text(BOUNDS.data)
  .transform((given) => tryFromHex(given) ?? utf8(given))
  .meta({ description: 'message: DATA, or any other string as UTF-8 text' })
