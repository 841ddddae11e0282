/** Validators and operators, what an account has at stake, and the node that this page talks to. */
import { loadValidators } from '../chain/validators.ts'
import { grouped } from '../format/number.ts'
import { oneLine } from '../format/text.ts'
import { useNode, type Node } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { Answered } from '../parts/Answered.tsx'
import { Badge } from '../parts/Badge.tsx'
import { fact, Facts } from '../parts/Facts.tsx'
import { Hash } from '../parts/Names.tsx'
import { Tabs } from '../parts/Tabs.tsx'
import { Operators } from '../registry/Operators.tsx'
import { MyStake } from '../staking/MyStake.tsx'
import { useStaking } from '../staking/useStaking.ts'
import { Validators } from '../staking/Validators.tsx'

const EVERY_MS = 2000

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
            fact('Version', <bdi>{oneLine(facts.client, 80)}</bdi>),
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
              'Stored blocks',
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
            fact('Ethereum chain id', String(facts.chainId)),
            fact('Consensus', `CometBFT ${oneLine(info.version, 20)}`),
            fact('Max block size', `${grouped(Number(block.max_bytes))} bytes`),
            fact(
              'Max block gas',
              block.max_gas === '-1'
                ? 'as set by the EVM block gas limit'
                : grouped(Number(block.max_gas)),
            ),
            fact(
              'Max evidence age',
              `${grouped(Number(evidence.max_age_num_blocks))} blocks and ${grouped(Number(evidence.max_age_duration) / HOURS)} hours`,
            ),
          ]}
        />
      </section>
    </div>
  )
}

function ValidatorsTab() {
  const node = useNode()
  const set = useAnswer(() => loadValidators(node), [], EVERY_MS)
  const known = useStaking()
  return (
    <Answered answer={set}>
      {(value) => (
        <Answered answer={known}>{(found) => <Validators set={value} known={found} />}</Answered>
      )}
    </Answered>
  )
}

function StakeTab() {
  const known = useStaking()
  return (
    <Answered answer={known}>
      {({ staking }) =>
        staking === undefined ? (
          <p className="card empty">
            This chain has no staking: its validators are fixed in genesis.
          </p>
        ) : (
          <MyStake staking={staking} />
        )
      }
    </Answered>
  )
}

function NodeTab() {
  const node = useNode()
  const facts = useAnswer(() => loadNode(node), [], EVERY_MS)
  return <Answered answer={facts}>{(value) => <AboutNode facts={value} />}</Answered>
}

/** The page of the network. */
export function Network() {
  return (
    <>
      <div className="title">
        <h1>Network</h1>
        <p className="soft">Who decides blocks, who answers jobs, and how much stake backs them.</p>
      </div>
      <Tabs
        label="Sections of the network"
        tabs={[
          { name: 'Validators', render: () => <ValidatorsTab /> },
          { name: 'Your stake', render: () => <StakeTab /> },
          { name: 'Operators', render: () => <Operators /> },
          { name: 'Node and chain', render: () => <NodeTab /> },
        ]}
      />
    </>
  )
}
