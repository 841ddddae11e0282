/** The stake of the connected account, over all validators. */
import { Answered } from '../parts/Answered.tsx'
import { Money } from '../parts/Money.tsx'
import { useConnection, type Connection } from '../wallet/connection.ts'
import { WalletBar } from '../wallet/WalletBar.tsx'
import { CreateForm } from './CreateForm.tsx'
import { StakeOf } from './StakeOf.tsx'
import type { Staking } from './types.ts'
import { useStake } from './useStaking.ts'

function Connected({
  connection,
  staking,
}: {
  readonly connection: Connection
  readonly staking: Staking
}) {
  const { account } = connection
  const answer = useStake(account)
  const isOperator = staking.validators.some(({ operator }) => operator === account)
  return (
    <div className="stack">
      <Answered answer={answer}>
        {(stake) => (
          <>
            <p className="soft">
              Account balance: <Money amount={stake.balance} isShort />. To delegate, choose a
              validator in the first tab.
            </p>
            <StakeOf stake={stake} connection={connection} />
          </>
        )}
      </Answered>
      {!isOperator && (
        <section className="card" aria-label="Run your own validator">
          <CreateForm connection={connection} parameters={staking.parameters} />
        </section>
      )}
    </div>
  )
}

/** Everything of one account. */
export function MyStake({ staking }: { readonly staking: Staking }) {
  const connection = useConnection()
  return (
    <div className="stack">
      <WalletBar />
      {connection !== undefined && (
        <Connected key={connection.account} connection={connection} staking={staking} />
      )}
    </div>
  )
}
