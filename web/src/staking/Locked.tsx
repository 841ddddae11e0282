/** Stake that came by a redelegation and stays where it is for a while. */
import { utc } from '../format/number.ts'
import { Money } from '../parts/Money.tsx'
import type { Delegation } from './types.ts'

/** How much, and until when. */
export function Locked({ delegation }: { readonly delegation: Delegation }) {
  const { shares, amount, lockedShares, lockedUntil } = delegation
  return (
    <>
      <Money amount={shares === 0n ? 0n : (lockedShares * amount) / shares} />{' '}
      <span className="soft">until {utc(Number(lockedUntil))}</span>
    </>
  )
}
