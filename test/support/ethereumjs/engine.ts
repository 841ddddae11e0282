/**
 * The engine on @ethereumjs/evm, against which ours is tested: interpreters that serve one message at a time and are
 * reused.
 */
import { Mainnet, createCustomCommon, type StateManagerInterface } from '@ethereumjs/common'
import {
  EVMError,
  createEVM,
  type EVM,
  type EVMResult,
  type InterpreterStep,
} from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import { EMPTY_BYTES, bytesToBigint } from '../../../src/base/bytes.ts'
import { fromHex, toHex, toHexDigits } from '../../../src/base/hex.ts'
import type { Hardfork } from '../../../src/evm/rules.ts'
import type { BlockEnvironment, Log, Message, Outcome, StateView } from '../../../src/evm/types.ts'
import { customCrypto } from './crypto.ts'
import { haltReason } from './haltReason.ts'
import { createWorld, type World } from './world.ts'

type Instance = { readonly evm: EVM; readonly world: World }

async function createInstance(
  chainId: bigint,
  hardfork: Hardfork,
  onStep: ((step: InterpreterStep) => void) | undefined,
): Promise<Instance> {
  const world = createWorld()
  const common = createCustomCommon({ chainId: chainId.toString(), name: 'assay' }, Mainnet, {
    hardfork,
    customCrypto,
  })
  // The library looks for them in a list, several times per opcode.
  const activated = new Map<number, boolean>()
  const { isActivatedEIP } = common
  common.isActivatedEIP = (eip) => {
    let isActivated = activated.get(eip)
    if (isActivated === undefined) {
      isActivated = isActivatedEIP.call(common, eip)
      activated.set(eip, isActivated)
    }
    return isActivated
  }
  const evm = await createEVM({
    common,
    // The interpreter calls no more of it.
    stateManager: world.evmState as StateManagerInterface,
    blockchain: {
      getBlock: async (height) => ({ hash: () => world.blockHash(height) }),
      putBlock: async () => undefined,
      shallowCopy() {
        return this
      },
    },
  })
  if (onStep !== undefined) evm.events?.on('step', onStep)
  return { evm, world }
}

/** EIP-2929, 2930, 3651: what is warm before the first opcode. */
function warmUp(
  { common, journal, precompiles }: EVM,
  message: Message,
  block: BlockEnvironment,
): void {
  for (const precompile of precompiles.keys()) journal.addAlwaysWarmAddress(precompile)
  journal.addAlwaysWarmAddress(toHexDigits(message.caller))
  if (message.to !== undefined) journal.addAlwaysWarmAddress(toHexDigits(message.to))
  if (common.isActivatedEIP(3651)) journal.addAlwaysWarmAddress(toHexDigits(block.coinbase))
  for (const { address, storageKeys } of message.accessList) {
    const account = toHexDigits(address)
    journal.addAlwaysWarmAddress(account)
    for (const key of storageKeys) journal.addAlwaysWarmSlot(account, toHexDigits(key))
  }
}

async function run(
  { evm }: Instance,
  message: Message,
  block: BlockEnvironment,
): Promise<EVMResult> {
  return await evm.runCall({
    block: {
      header: {
        number: BigInt(block.height),
        coinbase: new Address(block.coinbase),
        timestamp: block.timestamp,
        // The word that PREVRANDAO was before: it had the same opcode.
        difficulty: bytesToBigint(block.prevRandao),
        prevRandao: block.prevRandao,
        gasLimit: block.gasLimit,
        baseFeePerGas: block.baseFeePerGas,
        getBlobGasPrice: () => block.blobBaseFee,
      },
    },
    caller: new Address(message.caller),
    origin: new Address(message.origin),
    gasPrice: message.gasPrice,
    gasLimit: message.gasLimit,
    value: message.value,
    data: message.data,
    ...(message.to !== undefined && { to: new Address(message.to) }),
    blobVersionedHashes: (message.blobVersionedHashes ?? []).map(toHex),
    skipNonceIncrement: true,
  })
}

/** Destroys what asked for it, from Cancun on only among the contracts of this transaction (EIP-6780), and touched empty accounts (EIP-161). */
async function settle({ evm, world }: Instance, { execResult }: EVMResult): Promise<void> {
  for (const address of execResult.selfdestruct?.keys() ?? [])
    if (!evm.common.isActivatedEIP(6780) || execResult.createdAddresses?.has(address) === true)
      world.destroy(fromHex(address))
  await evm.journal.cleanup()
  evm.transientStorage.clear()
}

function outcomeOf({ world }: Instance, { execResult, createdAddress }: EVMResult): Outcome {
  const { exceptionError, runState } = execResult
  // Without a run state it was a precompile that failed: the library calls some of those reverts too.
  const isRevert = exceptionError?.error === EVMError.errorMessages.REVERT && runState !== undefined
  const hasFailed = exceptionError !== undefined
  const at = runState && { opCode: runState.opCode, stackLength: runState.stack.length }
  return {
    status: isRevert ? 'revert' : hasFailed ? 'halt' : 'success',
    error: hasFailed ? haltReason(exceptionError.error, at) : '',
    gasUsed: execResult.executionGasUsed,
    gasRefund: execResult.gasRefund ?? 0n,
    output: hasFailed && !isRevert ? EMPTY_BYTES : execResult.returnValue,
    logs: (execResult.logs ?? []).map(([address, topics, data]): Log => ({
      address,
      topics,
      data,
    })),
    effects: hasFailed ? new Map() : world.effects(),
    createdAddress: createdAddress?.bytes,
  }
}

/** Runs messages as an engine does, except that it returns a promise. */
export type EthereumjsEngine = {
  execute(message: Message, block: BlockEnvironment, state: StateView): Promise<Outcome>
}

/** An engine on @ethereumjs/evm. It may run several messages at once, each on an interpreter of its own. */
export function createEthereumjsEngine(
  hardfork: Hardfork = 'osaka',
  onStep?: (step: InterpreterStep) => void,
): EthereumjsEngine {
  const idle = new Map<bigint, Instance[]>()
  return {
    async execute(message: Message, block: BlockEnvironment, state: StateView): Promise<Outcome> {
      const pool = idle.get(block.chainId) ?? []
      idle.set(block.chainId, pool)
      const instance = pool.pop() ?? (await createInstance(block.chainId, hardfork, onStep))
      instance.world.open(state)
      warmUp(instance.evm, message, block)
      const result = await run(instance, message, block)
      await settle(instance, result)
      const outcome = outcomeOf(instance, result)
      // An instance whose run threw is not reused: its journal may be half open.
      pool.push(instance)
      return outcome
    },
  }
}
