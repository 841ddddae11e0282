/** Punishments: they come at the end of blocks, with no transaction, as events of the block (docs/events.md). */
import type { Node } from '../net/context.ts'
import { askMany } from '../net/jsonRpc.ts'

export type Punishment = {
  readonly height: number
  readonly kind: 'Slashed' | 'Jailed' | 'Tombstoned'
  /** By the names of the event's parameters. */
  readonly values: Readonly<Record<string, string>>
}

type SearchAnswer = {
  readonly blocks:
    | readonly { readonly block: { readonly header: { readonly height: string } } }[]
    | null
}

type ResultsAnswer = {
  readonly height: string
  readonly finalize_block_events:
    | readonly {
        readonly type: string
        readonly attributes: readonly { readonly key: string; readonly value: string }[]
      }[]
    | null
}

const KINDS = ['Slashed', 'Jailed', 'Tombstoned'] as const
const MOST = '20'

function punishmentsOf(results: ResultsAnswer, operator: string): readonly Punishment[] {
  return (results.finalize_block_events ?? []).flatMap(({ type, attributes }) => {
    const kind = KINDS.find((each) => each === type)
    // Addresses come twice: as EIP-55 spells them, then in lower case, which stays.
    const values = Object.fromEntries(attributes.map(({ key, value }) => [key, value]))
    if (kind === undefined || values['operator']?.toLowerCase() !== operator) return []
    return [{ height: Number(results.height), kind, values }]
  })
}

/** The latest punishments of an operator's validator; none on a node that cannot search its blocks. Whoever is punished is jailed. */
export async function loadPunishments(
  { endpoints, consensus }: Node,
  operator: string,
): Promise<readonly Punishment[]> {
  const found = (await consensus('block_search', {
    query: `Jailed.operator='${operator}'`,
    page: '1',
    per_page: MOST,
    order_by: 'desc',
  }).catch(() => ({ blocks: null }))) as SearchAnswer
  const heights = (found.blocks ?? []).map(({ block }) => block.header.height)
  const answers = await askMany(
    endpoints.comet,
    'block_results',
    heights.map((height) => ({ height })),
  )
  return (answers as readonly ResultsAnswer[]).flatMap((each) => punishmentsOf(each, operator))
}
