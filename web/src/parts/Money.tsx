/** Amounts of the chain's own currency. */
import { useCurrency } from '../chain/currency.ts'
import { roughly, units } from '../format/number.ts'

const DECIMALS = 18

type MoneyProps = {
  readonly amount: bigint
  /** Whether six decimals are enough; the title has all of them. */
  readonly isShort?: boolean
}

/** An amount in the smallest unit, exact unless it is to be short, with the name of the currency. */
export function Money({ amount, isShort = false }: MoneyProps) {
  const currency = useCurrency()
  const exact = units(amount, DECIMALS)
  return (
    <span className="number money" title={isShort ? exact : undefined}>
      {isShort ? roughly(amount, DECIMALS) : exact} <span className="soft">{currency}</span>
    </span>
  )
}
