import { z } from 'zod'
import { toHex } from '../../base/hex.ts'
import type { FilterChanges } from '../../events/filters.ts'
import { method, type Result } from '../../wire/method.ts'
import { hashShape } from '../../wire/shapes.ts'
import { encodeLogs, logShape } from '../encode/log.ts'
import { filterId, filterNotFound } from '../filterIds.ts'
import type { Node } from '../node.ts'

const changesResult: Result<FilterChanges> = {
  schema: z.union([z.array(hashShape), z.array(logShape)]),
  encode: (changes) =>
    changes.type === 'logs' ? encodeLogs(changes.logs) : changes.hashes.map(toHex),
}

export const eth_getFilterChanges = method({
  summary: 'What a filter has to report since the last poll: logs, or hashes.',
  params: { id: filterId },
  result: changesResult,
  handler: ({ filters }: Pick<Node, 'filters'>, { id }) => {
    const changes = filters.changes(id)
    if (!changes) throw filterNotFound()
    return changes
  },
})
