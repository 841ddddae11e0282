/** Who signed a block, and in which round it was decided. */
import type { Commit } from '../chain/types.ts'
import { grouped } from '../format/number.ts'
import { Badge, type Tone } from './Badge.tsx'
import { fact, Facts } from './Facts.tsx'

const VOTES: Readonly<Record<number, readonly [Tone, string]>> = {
  1: ['bad', 'absent'],
  2: ['good', 'signed'],
  3: ['warn', 'voted nil'],
}

/** The commit of a block. */
export function Signers({ commit }: { readonly commit: Commit }) {
  const { header, commit: decided } = commit.signed_header
  return (
    <div className="card">
      <Facts
        facts={[
          fact('Chain', <bdi>{header.chain_id.slice(0, 60)}</bdi>),
          fact(
            'Round',
            decided.round === 0 ? '0: decided in the first round' : grouped(decided.round),
          ),
          fact('Decided at', header.time),
          fact('Proposer', <span className="hash whole">{header.proposer_address}</span>),
          fact('Validators hash', <span className="hash whole">{header.validators_hash}</span>),
        ]}
      />
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Validator</th>
            <th scope="col">Vote</th>
            <th scope="col">Signed at</th>
          </tr>
        </thead>
        <tbody>
          {decided.signatures.map((signature, index) => {
            const [tone, word] = VOTES[signature.block_id_flag] ?? ['warn', 'unknown']
            return (
              // Absent validators have no address in a commit: their place in the set tells who they are.
              // oxlint-disable-next-line react/no-array-index-key
              <tr key={index}>
                <td className="hash whole">
                  {signature.validator_address || `validator ${index + 1} of the set`}
                </td>
                <td>
                  <Badge tone={tone}>{word}</Badge>
                </td>
                <td className="soft">{signature.block_id_flag === 1 ? '' : signature.timestamp}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
