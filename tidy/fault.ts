/** What the tidy tests find. */

export type Fault = {
  readonly file: string
  /** First line is 1; 0 where the file as a whole is meant. */
  readonly line: number
  /** Name of the rule that was broken, as exceptions cite it. */
  readonly rule: string
  /** What was named there: a room, a package, a capability, a phrase. Exceptions cite it too. */
  readonly subject: string
  /** What is wrong, and what to do about it. */
  readonly message: string
}

/** A fault as one line, which terminals and editors link to its place. */
export function describeFault({ file, line, rule, message }: Fault): string {
  return `${file}${line > 0 ? `:${line}` : ''} ${message} [${rule}]`
}
