import { flag, hexBytes, int64, text } from '../argument.ts'
import { encodeQuery } from '../encode/abci.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const abci_query = cometMethod({
  summary: 'Queries the state of the application.',
  args: { path: text, data: hexBytes, height: int64, prove: flag },
  handler(
    { application }: Pick<CometServices, 'application'>,
    { path, data, height, prove },
  ): object {
    const response = application.query({ path, data, height: Number(height), prove })
    return { response: encodeQuery(response) }
  },
})
