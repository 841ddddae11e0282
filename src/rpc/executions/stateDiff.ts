/** State diffs in OpenEthereum's format, from the result of prestateTracer. */

type Account = {
  readonly balance?: string
  readonly nonce?: number
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}
type Accounts = Readonly<Record<string, Account>>

const NO_WORD = `0x${'0'.repeat(64)}`

/** "=" unchanged, {"+"} created, {"-"} deleted or {"*"} changed. */
function change(before: string | undefined, after: string | undefined): unknown {
  if (before === after) return '='
  if (before === undefined) return { '+': after }
  return after === undefined ? { '-': before } : { '*': { from: before, to: after } }
}

function nonceOf({ nonce }: Account): string {
  return `0x${(nonce ?? 0).toString(16)}`
}

function diffOf(before: Account | undefined, after: Account | undefined): object {
  const slots = new Set(
    [before?.storage, after?.storage].flatMap((storage) => Object.keys(storage ?? {})),
  )
  // What the post state does not mention is unchanged, unless the account is gone.
  const field = (from: string | undefined, to: string | undefined): unknown =>
    after === undefined ? change(from, undefined) : change(from, to ?? from)
  return {
    balance: field(before?.balance, after?.balance),
    nonce: field(
      before && nonceOf(before),
      after?.nonce === undefined && before ? undefined : after && nonceOf(after),
    ),
    code: field(
      before ? (before.code ?? '0x') : undefined,
      after?.code ?? (before ? undefined : '0x'),
    ),
    storage: Object.fromEntries(
      [...slots].map((slot) => [
        slot,
        {
          '*': { from: before?.storage?.[slot] ?? NO_WORD, to: after?.storage?.[slot] ?? NO_WORD },
        },
      ]),
    ),
  }
}

/** The diff by address. */
export function stateDiff({
  pre,
  post,
}: {
  readonly pre: Accounts
  readonly post: Accounts
}): object {
  const addresses = new Set([...Object.keys(pre), ...Object.keys(post)])
  return Object.fromEntries(
    [...addresses].map((address) => [address, diffOf(pre[address], post[address])]),
  )
}
