/** The registry of operators, as its contract tells it (contracts/OperatorRegistry.sol). */
import { amountOf, countOf, readMany, structOf, type View } from '../abi/contract.ts'
import { AbiError } from '../abi/types.ts'
import { REGISTRY } from '../chain/genesisAddresses.ts'
import type { Node } from '../net/context.ts'
import { RpcError } from '../net/jsonRpc.ts'

export type Operator = {
  readonly address: string
  /** Its selection range; `end` is exclusive. */
  readonly start: number
  readonly end: number
  /** Bit 0: opml, bit 1: tee. */
  readonly types: number
  /** In the smallest unit. */
  readonly stake: bigint
  readonly withdrawing: bigint
  /** Seconds since 1970; 0 where nothing is being withdrawn. */
  readonly withdrawableAt: number
  /** Whether its stake covers its range. */
  readonly isActive: boolean
}

export type Registry = {
  /** Length of the space of draws. */
  readonly max: number
  /** Stake per unit of a selection range. */
  readonly stakePerUnit: bigint
  /** Seconds. */
  readonly delay: number
  /** How many registered; the first of them are listed. */
  readonly total: number
  readonly operators: readonly Operator[]
}

/** More than a page should draw. */
const MOST = 200

/** Kinds of jobs, as the bits of the contract. */
export const KINDS = [
  { bit: 1, name: 'opml' },
  { bit: 2, name: 'tee' },
] as const

async function loadOperators(node: Node, total: number): Promise<readonly Operator[]> {
  const places = Array.from({ length: Math.min(total, MOST) }, (_, index) => BigInt(index))
  const addresses = (
    await readMany(
      node,
      REGISTRY,
      places.map((place): View => ({ name: 'operators', values: [place] })),
    )
  ).map(String)
  const answers = await readMany(
    node,
    REGISTRY,
    addresses.flatMap((address): View[] => [
      { name: 'recordOf', values: [address] },
      { name: 'isActive', values: [address] },
    ]),
  )
  return addresses.map((address, index) => {
    const fields = structOf(REGISTRY, 'recordOf', answers[2 * index] ?? '')
    return {
      address,
      start: countOf(fields, 'start'),
      end: countOf(fields, 'end'),
      types: countOf(fields, 'types'),
      stake: amountOf(fields, 'stake'),
      withdrawing: amountOf(fields, 'withdrawing'),
      withdrawableAt: countOf(fields, 'withdrawableAt'),
      isActive: answers[2 * index + 1] === true,
    }
  })
}

/** The registry; undefined on chains whose genesis has none. */
export async function loadRegistry(node: Node): Promise<Registry | undefined> {
  try {
    const [total, max, perUnit, delay] = await readMany(node, REGISTRY, [
      { name: 'getNumOperators' },
      { name: 'MAX_RANGE' },
      { name: 'STAKE_PER_UNIT' },
      { name: 'WITHDRAWAL_DELAY' },
    ])
    return {
      max: Number(max),
      stakePerUnit: BigInt(String(perUnit)),
      delay: Number(delay),
      total: Number(total),
      operators: await loadOperators(node, Number(total)),
    }
  } catch (error) {
    if (error instanceof RpcError || error instanceof AbiError) return undefined
    throw error
  }
}

/** Share of the draws that select at least one active operator, from 0 to 1. */
export function coverage({ operators, max }: Registry): number {
  const parts = operators.filter(({ isActive }) => isActive).toSorted((a, b) => a.start - b.start)
  let covered = 0
  let reached = 0
  for (const { start, end } of parts) {
    covered += Math.max(0, end - Math.max(start, reached))
    reached = Math.max(reached, end)
  }
  return max === 0 ? 0 : covered / max
}
