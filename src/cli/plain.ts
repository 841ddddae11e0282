/** Text of strangers on a terminal. */

/** Without what moves the cursor, hides text or turns it around: control, format and line-separating characters become "?". */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '?')
}
