/** Amounts of the chain's own money. */
import { useCurrency } from '../chain/currency.ts'
import { units } from '../format/number.ts'

const DECIMALS = 18

/** An amount in the smallest unit, exact, with the name of the money. */
export function Money({ amount }: { readonly amount: bigint }) {
  const currency = useCurrency()
  return (
    <span className="number money">
      {units(amount, DECIMALS)} <span className="soft">{currency}</span>
    </span>
  )
}
