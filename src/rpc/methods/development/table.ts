/** The methods of a development chain, under the names that Hardhat and anvil use (D56). */
import type { Method } from '../../../wire/method.ts'
import type { DevelopmentWorld } from './method.ts'
import { metadata, setLoggingEnabled } from './about.ts'
import {
  setBlockGasLimit,
  setCoinbase,
  setMinGasPrice,
  setNextBaseFee,
  setPrevRandao,
} from './blocks.ts'
import {
  evmMine,
  getAutomine,
  getIntervalSeconds,
  mine,
  setAutomine,
  setIntervalMilliseconds,
  setIntervalSeconds,
} from './mining.ts'
import { personalSign } from './personalSign.ts'
import { anvilDrop, dropAllTransactions, hardhatDrop, removePoolTransactions } from './pool.ts'
import { reset, revert, rollback, snapshot } from './snapshots.ts'
import {
  addBalance,
  autoImpersonateAccount,
  impersonateAccount,
  setBalance,
  setCode,
  setNonce,
  setStorageAt,
  stopImpersonatingAccount,
} from './state.ts'
import {
  increaseTime,
  removeBlockTimestampInterval,
  setBlockTimestampInterval,
  setNextBlockTimestamp,
  setTime,
} from './time.ts'

/** Namespaces of these methods. */
export const DEVELOPMENT_NAMESPACES: readonly string[] = ['evm', 'hardhat', 'anvil']

/** Methods by name. */
export const DEVELOPMENT_METHODS: Readonly<Record<string, Method<DevelopmentWorld>>> = {
  evm_snapshot: snapshot,
  evm_revert: revert,
  evm_mine: evmMine,
  evm_increaseTime: increaseTime,
  evm_setNextBlockTimestamp: setNextBlockTimestamp,
  evm_setAutomine: setAutomine,
  evm_setIntervalMining: setIntervalMilliseconds,
  evm_setTime: setTime,
  evm_setBlockGasLimit: setBlockGasLimit,
  hardhat_mine: mine,
  hardhat_reset: reset,
  hardhat_getAutomine: getAutomine,
  hardhat_dropTransaction: hardhatDrop,
  hardhat_setBalance: setBalance,
  hardhat_setNonce: setNonce,
  hardhat_setCode: setCode,
  hardhat_setStorageAt: setStorageAt,
  hardhat_setNextBlockBaseFeePerGas: setNextBaseFee,
  hardhat_setPrevRandao: setPrevRandao,
  hardhat_setCoinbase: setCoinbase,
  hardhat_setMinGasPrice: setMinGasPrice('hardhat_setMinGasPrice'),
  hardhat_setLoggingEnabled: setLoggingEnabled,
  hardhat_metadata: metadata,
  hardhat_impersonateAccount: impersonateAccount,
  hardhat_stopImpersonatingAccount: stopImpersonatingAccount,
  anvil_snapshot: snapshot,
  anvil_revert: revert,
  anvil_mine: mine,
  anvil_reset: reset,
  anvil_getAutomine: getAutomine,
  anvil_setAutomine: setAutomine,
  anvil_setIntervalMining: setIntervalSeconds,
  anvil_increaseTime: increaseTime,
  anvil_setNextBlockTimestamp: setNextBlockTimestamp,
  anvil_setTime: setTime,
  anvil_setBlockTimestampInterval: setBlockTimestampInterval,
  anvil_removeBlockTimestampInterval: removeBlockTimestampInterval,
  anvil_getIntervalMining: getIntervalSeconds,
  anvil_rollback: rollback,
  anvil_dropTransaction: anvilDrop,
  anvil_dropAllTransactions: dropAllTransactions,
  anvil_removePoolTransactions: removePoolTransactions,
  anvil_addBalance: addBalance,
  anvil_setBalance: setBalance,
  anvil_setNonce: setNonce,
  anvil_setCode: setCode,
  anvil_setStorageAt: setStorageAt,
  anvil_setNextBlockBaseFeePerGas: setNextBaseFee,
  anvil_setPrevRandao: setPrevRandao,
  anvil_setCoinbase: setCoinbase,
  anvil_setBlockGasLimit: setBlockGasLimit,
  anvil_setMinGasPrice: setMinGasPrice('anvil_setMinGasPrice'),
  anvil_setLoggingEnabled: setLoggingEnabled,
  anvil_metadata: metadata,
  anvil_impersonateAccount: impersonateAccount,
  anvil_stopImpersonatingAccount: stopImpersonatingAccount,
  anvil_autoImpersonateAccount: autoImpersonateAccount,
  personal_sign: personalSign,
}
