/** Messages to sign (D43). */
import { z } from 'zod'
import { utf8 } from '../../base/bytes.ts'
import { tryFromHex } from '../../base/hex.ts'

/** 0x and hex digits are bytes; any other string is UTF-8 text. */
export const message = z
  .string()
  .transform((text) => tryFromHex(text) ?? utf8(text))
  .meta({ description: 'message: DATA, or any other string as UTF-8 text' })
