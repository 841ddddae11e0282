/** `assay node export`: the genesis of a new chain that begins with the state of this one. */
import { UserError } from '../base/errors.ts'
import { parseChainId } from '../chain/chainId.ts'
import { exportState } from '../ledger/exportState.ts'
import { readSet } from '../chain/staking/validatorSet.ts'
import { openChainTables } from '../ledger/tables.ts'
import { hardforkAt } from '../chain/upgrades/hardfork.ts'
import type { Home } from '../config/home.ts'
import { genesisText, type Genesis } from '../consensus/files/genesis.ts'
import { openOffline } from './offline.ts'

/** The chain id with the next epoch: under the old id, the validator would sign its heights a second time. */
export function nextChainId(chainId: string): string {
  const { name, eip155, epoch } = parseChainId(chainId)
  return `${name}_${eip155}-${epoch + 1}`
}

/** The staking section of genesis.json. */
function stakingOf({ appState }: Genesis): object | undefined {
  const json = JSON.parse(new TextDecoder().decode(appState)) as { evm: { staking?: object } }
  return json.evm.staking
}

/** The contents of genesis.json. The node may be running: everything is read from one snapshot. Throws UserError. */
export async function exportGenesis(home: Home, wantedId: string | undefined): Promise<string> {
  const { kv, genesis, genesisState, reader, blocks } = openOffline(home, { readOnly: true })
  try {
    const { chainId: oldId } = genesis.genesis
    const chainId = wantedId ?? nextChainId(oldId)
    parseChainId(chainId)
    if (chainId === oldId)
      throw new UserError(
        `${chainId} is the id of this chain: a new chain needs its own`,
        'Otherwise its validator would sign two different blocks at one height.',
      )
    const { rules } = genesisState
    const state = blocks.state()
    const header = reader.header(reader.latestHeight())
    if (header === undefined || header.height === 0)
      throw new UserError('the chain has no block yet', 'Export its genesis.json itself.')
    // Consensus applies the staking contract's decisions two blocks later. Without stake the set never changes.
    const { validators } =
      genesisState.staking === undefined
        ? (state ?? genesis.genesis)
        : { validators: readSet(reader.stateAt(header.height)) }
    return genesisText({
      timeNs: header.timeNs,
      chainId,
      validators: validators.map(({ publicKey, power }) => ({ publicKey, power, name: '' })),
      appState: exportState(
        openChainTables(kv),
        rules,
        {
          baseFee: header.baseFeePerGas,
          hardfork: hardforkAt(rules, reader.stateAt(header.height), header.height),
        },
        stakingOf(genesis.genesis),
      ),
      params: (state ?? genesis.genesis).params,
    })
  } finally {
    await kv.close()
  }
}
