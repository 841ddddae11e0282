/** Settings that can be changed while the node runs: minimum gas price and reward address (D48). */
import { concatBytes, padLeft, utf8 } from '../base/bytes.ts'
import { messageOf } from '../base/errors.ts'
import { toHexDigits } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'
import type { Log } from '../base/log.ts'
import { loadOrCreatePrivateKey } from '../base/privateKey.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { STAKING_ADDRESS } from '../chain/predeploys.ts'
import { signTransaction } from '../chain/signTransaction.ts'
import { writeTopLevelText } from '../config/editToml.ts'
import type { Home } from '../config/home.ts'
import { awaitInclusion } from '../rpc/sending/inclusion.ts'
import type { World, NodeSettings } from '../rpc/world.ts'
import { submit } from '../rpc/sending/submit.ts'
import { RpcError } from '../wire/errors.ts'

type Needs = Pick<World, 'chain' | 'pool' | 'fees' | 'sends' | 'bus'>

/** Two storage slots, a log, and a margin. */
const SET_REWARD_GAS = 150_000n
const INCLUSION_MS = 30_000
const SET_REWARD = keccak256(utf8('setReward(address,address)')).slice(0, 4)

/** The settings of a home's node, whose validator has this consensus address. `denomination` is the unit of prices. */
export function createNodeSettings(
  home: Pick<Home, 'configFile' | 'rewardKey'>,
  world: Needs,
  options: {
    readonly consensusAddress: Uint8Array
    readonly denomination: string
    readonly log: Log
  },
): NodeSettings {
  const { consensusAddress, denomination, log } = options

  function sendReward(address: Uint8Array): Promise<Uint8Array> {
    const key = loadOrCreatePrivateKey(home.rewardKey, 'Restore the key that owns the rewards.')
    const sender = addressOfPrivateKey(key)
    return world.sends.run(toHexDigits(sender), async () => {
      const tip = world.fees.suggestedTip()
      const { raw } = signTransaction(
        {
          type: 2,
          chainId: world.chain.chainId,
          nonce: world.pool.pendingNonce(sender),
          maxFeePerGas: tip + 2n * world.fees.nextBaseFee(),
          maxPriorityFeePerGas: tip,
          gasLimit: SET_REWARD_GAS,
          to: STAKING_ADDRESS,
          value: 0n,
          data: concatBytes(SET_REWARD, padLeft(consensusAddress, 32), padLeft(address, 32)),
          accessList: [],
          authorizationList: [],
        },
        key,
      )
      key.fill(0)
      return await submit(world.pool, raw)
    })
  }

  return {
    setMinimumGasPrice(price) {
      try {
        writeTopLevelText(home.configFile, 'minimum-gas-prices', `${price}${denomination}`)
        log.warn({ price: price.toString() }, 'minimum-gas-prices changed: restart the node')
        return true
      } catch (error) {
        log.error({ reason: messageOf(error) }, 'minimum-gas-prices could not be written')
        return false
      }
    },
    async setRewardAddress(address) {
      const included = await awaitInclusion(world, await sendReward(address), INCLUSION_MS)
      if (!included)
        throw new RpcError('timeout', 'the transaction is in the pool but not in a block yet')
      const { header, index } = included.position
      if (world.chain.receipts(header.height)?.[index]?.status === 1) return true
      throw new RpcError('server', 'the staking contract refused the reward key of this node')
    },
  }
}
