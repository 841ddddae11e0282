/** Hashes, addresses and heights, as links that are short to read and whole to copy. */
import { Link } from '../app/Link.tsx'
import { paths } from '../app/routes.ts'
import { grouped } from '../format/number.ts'
import { oneLine, shorten } from '../format/text.ts'
import { Copy } from './Copy.tsx'

/** A height. */
export function BlockLink({ height }: { readonly height: number }) {
  return (
    <Link to={paths.block(height)} className="number">
      {grouped(height)}
    </Link>
  )
}

type HashProps = { readonly hash: string; readonly isWhole?: boolean }

/** A transaction's Ethereum hash. */
export function TransactionLink({ hash, isWhole = false }: HashProps) {
  return (
    <Link to={paths.transaction(hash)} className="hash" title={hash}>
      {isWhole ? hash : shorten(hash)}
    </Link>
  )
}

/** An address, with a name where one is known. */
export function AddressLink({
  address,
  name,
  isWhole = false,
}: {
  readonly address: string
  readonly name?: string | undefined
  readonly isWhole?: boolean
}) {
  return (
    <Link to={paths.account(address)} className={isWhole ? 'hash whole' : 'hash'} title={address}>
      {name === undefined ? (
        isWhole ? (
          address
        ) : (
          shorten(address, 8, 6)
        )
      ) : (
        <bdi>{oneLine(name, 40)}</bdi>
      )}
    </Link>
  )
}

/** A hash that leads nowhere, whole, with a button to copy it. */
export function Hash({ value }: { readonly value: string }) {
  return (
    <span className="copied">
      <span className="hash whole">{value}</span>
      <Copy text={value} />
    </span>
  )
}
