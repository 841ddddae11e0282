import { ConsensusError } from '../../consensus/engine.ts'
import { int, int64, optional } from '../argument.ts'
import { decimal } from '../encode/primitive.ts'
import { encodeValidator } from '../encode/validator.ts'
import { selectHeight, selectPage } from '../heights.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const validators = cometMethod({
  summary: 'Validators at a height; by default the next one.',
  args: { height: optional(int64), page: optional(int), per_page: optional(int) },
  cache: 'at given height',
  handler({ reader }: Pick<CometServices, 'reader'>, { height, page, per_page }): object {
    const selected = selectHeight(reader, reader.height() + 1, height)
    const all = reader.validators(selected)
    if (all === undefined) {
      throw new ConsensusError(`could not find validator set for height #${selected}`)
    }
    const { start, end } = selectPage(all.length, page, per_page)
    const shown = all.slice(start, end)
    return {
      block_height: decimal(selected),
      validators: shown.map(encodeValidator),
      count: decimal(shown.length),
      total: decimal(all.length),
    }
  },
})
