import { equalBytes } from '../../base/bytes.ts'
import { toUpperHexDigits } from '../../base/hex.ts'
import type { StoredBlock } from '../../consensus/engine.ts'
import { publicKeyJson } from '../../consensus/files/keys.ts'
import { formatTime } from '../../proof/comet/time.ts'
import { encodeNodeInfo } from '../encode/node.ts'
import { decimal } from '../encode/primitive.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

function syncFields(prefix: 'latest' | 'earliest', stored: StoredBlock | undefined): object {
  const header = stored?.block.header
  return {
    [`${prefix}_block_hash`]: stored === undefined ? '' : toUpperHexDigits(stored.blockId.hash),
    [`${prefix}_app_hash`]: header === undefined ? '' : toUpperHexDigits(header.appHash),
    [`${prefix}_block_height`]: decimal(header?.height ?? 0),
    [`${prefix}_block_time`]: formatTime(header?.timeNs ?? 0n),
  }
}

export const status = cometMethod({
  summary: 'Identity, sync progress and validator of this node.',
  args: {},
  handler({ reader }: Pick<CometServices, 'reader'>) {
    const height = reader.height()
    const { address, publicKey } = reader.validator
    const self = reader
      .validators(height + 1)
      ?.find((validator) => equalBytes(validator.address, address))
    return {
      node_info: encodeNodeInfo(reader),
      sync_info: {
        ...syncFields('latest', reader.block(height)),
        ...syncFields('earliest', reader.block(reader.earliestHeight())),
        catching_up: false,
      },
      validator_info: {
        address: toUpperHexDigits(address),
        pub_key: publicKeyJson(publicKey),
        voting_power: decimal(self?.power ?? 0n),
      },
    }
  },
})
