// How much is measured, and against whom.
import { parseArgs } from 'node:util'

const SIZES = {
  quick: { seconds: 0.4, rounds: 1, transactions: 2_000, oneByOne: 500, writeLimit: 8 },
  normal: { seconds: 1, rounds: 3, transactions: 20_000, oneByOne: 2_000, writeLimit: 20 },
  full: { seconds: 2, rounds: 5, transactions: 100_000, oneByOne: 4_000, writeLimit: 90 },
}

/**
 * Reads the command line: names of row groups, `--quick` or `--full`, and `--peers=anvil,hardhat,geth`. The size gives seconds
 * per measurement of a rate, rounds, transactions of a sustained run, those sent one by one, and the longest write run in seconds.
 */
export function readOptions(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      peers: { type: 'string', default: 'anvil' },
    },
  })
  const size = values.full ? 'full' : values.quick ? 'quick' : 'normal'
  return {
    groups: positionals,
    peers: values.peers.split(',').filter((name) => name !== ''),
    size,
    ...SIZES[size],
  }
}
