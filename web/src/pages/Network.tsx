/** The validators, and the node that this page talks to. */
import { loadValidators, type ValidatorRow, type ValidatorSet } from '../chain/validators.ts'
import { grouped, percent } from '../format/number.ts'
import { oneLine } from '../format/text.ts'
import { useNode, type Node } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { Answered } from '../parts/Answered.tsx'
import { Badge } from '../parts/Badge.tsx'
import { fact, Facts } from '../parts/Facts.tsx'
import { Hash } from '../parts/Names.tsx'
import { Scrolled } from '../parts/Scrolled.tsx'

const EVERY_MS = 2000

function missed(row: ValidatorRow): number {
  return row.votes.filter(({ vote }) => vote === 'absent').length
}

/** One square a block: signed, missed, or voted for none. */
function Votes({ row }: { readonly row: ValidatorRow }) {
  const count = row.votes.filter(({ vote }) => vote !== undefined).length
  const label = `Signed ${count - missed(row)} of the last ${count} blocks`
  return (
    <span className="votes" role="img" aria-label={label}>
      {row.votes.map(({ height, vote }) => (
        <span
          key={height}
          className={`vote vote-${vote ?? 'none'}`}
          title={`${height}: ${vote ?? 'no validator then'}`}
        />
      ))}
    </span>
  )
}

function Validators({ set }: { readonly set: ValidatorSet }) {
  return (
    <section className="card" aria-labelledby="validators">
      <h2 id="validators">
        {set.rows.length === 1 ? 'One validator' : `${grouped(set.rows.length)} validators`}
      </h2>
      <Scrolled label="Validators, as a table">
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col">Power</th>
              <th scope="col">Last blocks</th>
              <th scope="col" className="amount">
                Missed
              </th>
              <th scope="col" className="amount">
                Proposed
              </th>
            </tr>
          </thead>
          <tbody>
            {set.rows.map((row) => (
              <tr key={row.address}>
                <td className="hash" title={`Public key ${row.publicKey}`}>
                  {row.address}
                </td>
                <td>
                  <span className="share" aria-hidden="true">
                    <span
                      style={{
                        width: percent(Number(row.power), Number(set.power)).replace(' ', ''),
                      }}
                    />
                  </span>
                  <span className="number">
                    {grouped(row.power)}{' '}
                    <span className="soft">{percent(Number(row.power), Number(set.power))}</span>
                  </span>
                </td>
                <td>
                  <Votes row={row} />
                </td>
                <td className="amount">
                  {missed(row) === 0 ? '0' : <Badge tone="bad">{missed(row)}</Badge>}
                </td>
                <td className="amount">{grouped(row.proposed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </section>
  )
}

type Status = {
  readonly node_info: {
    readonly network: string
    readonly moniker: string
    readonly version: string
    readonly id: string
  }
  readonly sync_info: {
    readonly latest_block_height: string
    readonly earliest_block_height: string
    readonly catching_up: boolean
  }
}
type NetInfo = {
  readonly peers: readonly {
    readonly remote_ip: string
    readonly node_info: { readonly id: string; readonly moniker: string }
  }[]
}
type Params = {
  readonly consensus_params: {
    readonly block: { readonly max_bytes: string; readonly max_gas: string }
    readonly evidence: { readonly max_age_num_blocks: string; readonly max_age_duration: string }
  }
}

type NodeFacts = {
  readonly status: Status
  readonly net: NetInfo
  readonly params: Params
  readonly client: string
  readonly chainId: number
}

async function loadNode({ ethereum, consensus }: Node): Promise<NodeFacts> {
  const [status, net, params, client, chainId] = await Promise.all([
    consensus('status', {}),
    consensus('net_info', {}),
    consensus('consensus_params', {}),
    ethereum('web3_clientVersion'),
    ethereum('eth_chainId'),
  ])
  return {
    status: status as Status,
    net: net as NetInfo,
    params: params as Params,
    client: String(client),
    chainId: Number(chainId),
  }
}

const HOURS = 3_600_000_000_000

function AboutNode({ facts }: { readonly facts: NodeFacts }) {
  const { status, net, params } = facts
  const { node_info: info, sync_info: sync } = status
  const { block, evidence } = params.consensus_params
  return (
    <div className="pair">
      <section className="card" aria-labelledby="node">
        <h2 id="node">This node</h2>
        <Facts
          facts={[
            fact('Name', <bdi>{oneLine(info.moniker, 60)}</bdi>),
            fact('Program', <bdi>{oneLine(facts.client, 80)}</bdi>),
            fact(
              'State',
              sync.catching_up ? (
                <Badge tone="warn">catching up</Badge>
              ) : (
                <Badge tone="good">up to date</Badge>
              ),
            ),
            fact('Id', <Hash value={info.id} />),
            fact(
              'Blocks kept',
              `${grouped(Number(sync.earliest_block_height))} to ${grouped(Number(sync.latest_block_height))}`,
            ),
            fact('Peers', net.peers.length === 0 ? 'none' : grouped(net.peers.length)),
          ]}
        />
        {net.peers.length > 0 && (
          <ul className="peers">
            {net.peers.map((peer) => (
              <li key={peer.node_info.id}>
                <bdi>{oneLine(peer.node_info.moniker, 40)}</bdi>{' '}
                <span className="soft">
                  {oneLine(peer.remote_ip, 45)}{' '}
                  <span className="hash">{peer.node_info.id.slice(0, 12)}…</span>
                </span>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section className="card" aria-labelledby="chain">
        <h2 id="chain">This chain</h2>
        <Facts
          facts={[
            fact('Name', <bdi>{oneLine(info.network, 60)}</bdi>),
            fact('Chain id of Ethereum', String(facts.chainId)),
            fact('Consensus', `CometBFT ${oneLine(info.version, 20)}`),
            fact('Largest block', `${grouped(Number(block.max_bytes))} bytes`),
            fact(
              'Most gas',
              block.max_gas === '-1' ? 'as the EVM’s limit says' : grouped(Number(block.max_gas)),
            ),
            fact(
              'Evidence counts for',
              `${grouped(Number(evidence.max_age_num_blocks))} blocks and ${grouped(Number(evidence.max_age_duration) / HOURS)} hours`,
            ),
          ]}
        />
      </section>
    </div>
  )
}

/** The page of the network. */
export function Network() {
  const node = useNode()
  const set = useAnswer(() => loadValidators(node), [], EVERY_MS)
  const facts = useAnswer(() => loadNode(node), [], EVERY_MS)
  return (
    <div className="stack">
      <div className="title">
        <h1>Network</h1>
      </div>
      <Answered answer={set}>{(value) => <Validators set={value} />}</Answered>
      <Answered answer={facts}>{(value) => <AboutNode facts={value} />}</Answered>
    </div>
  )
}
