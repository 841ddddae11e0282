// eth_call: a small everyday call, and loops that show the virtual machine alone.
import { callData } from './support/abi.mjs'
import { FILLED_SLOTS, LOOPS, senders, TOKEN } from './support/chain.mjs'
import { call, request } from './support/jsonRpc.mjs'
import { measureRate } from './support/rate.mjs'

/** Gas for one call: the most that a transaction may have (EIP-7825), which Hardhat applies to calls too. */
const GAS = '0x1000000'

const LOOPS_BY_NAME = [
  { title: 'arithmetic', function: 'arithmetic', turns: 130_000, least: 1.2, aim: 1.6 },
  { title: 'ordinary Solidity', function: 'ordinary', turns: 15_000, least: 1.2, aim: 1.6 },
  { title: 'Keccak-256', function: 'keccak', turns: 90_000, least: 0.9, aim: 1 },
  { title: 'cold SLOAD', function: 'coldLoad', turns: FILLED_SLOTS, least: 1, aim: 2 },
  { title: 'fresh SSTORE', function: 'freshStore', turns: 450, least: 1, aim: 2 },
  { title: 'warm SSTORE', function: 'warmStore', turns: 40_000, least: 1, aim: 2 },
]

const callOf = (to, data) => [{ to, data, gas: GAS }, 'latest']

/** Million gas that a loop uses by its own count. All peers must agree on it, and on everything else it gives back. */
async function measureGas(peers, params) {
  const answers = await Promise.all(peers.map(({ port }) => call(port, 'eth_call', params)))
  const other = answers.findIndex((answer) => answer !== answers[0])
  if (other > 0)
    throw new Error(
      `${peers[other].name} answers ${answers[other]}, ${peers[0].name} ${answers[0]}`,
    )
  return Number(answers[0].slice(0, 66)) / 1e6
}

/** Measures the rows on running peers. */
export async function measureCalls({ peers, options, add }) {
  const balances = senders.map((address) =>
    request('eth_call', callOf(TOKEN, callData('balanceOf(address)', address))),
  )
  for (const connections of [1, 16, 64])
    add({
      name: `eth_call ERC-20 balanceOf, connections: ${connections}`,
      unit: 'requests/s',
      values: await measureRate(peers, options, balances, { connections }),
      least: 1.2,
      aim: 2,
    })
  for (const loop of LOOPS_BY_NAME) {
    const params = callOf(LOOPS, callData(`${loop.function}(uint256)`, loop.turns))
    const each = await measureGas(peers, params)
    add({
      name: `eth_call ${loop.title} loop of ${each.toFixed(1)} million gas`,
      unit: 'Mgas/s',
      values: await measureRate(peers, options, [request('eth_call', params)], {
        connections: 1,
        each,
      }),
      least: loop.least,
      aim: loop.aim,
    })
  }
}
