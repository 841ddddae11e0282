/** Contracts that each of our chains has from genesis on (D52). */
import { fromHex } from '../base/hex.ts'
import { HISTORY_ADDRESS } from '../evm/blockHashes.ts'
import { JobReceipts, OperatorRegistry, Staking } from '../generated/contracts.ts'
import { MULTICALL3_CODE } from './multicall3.ts'

/** A contract at a fixed address. */
export type Predeploy = { readonly address: Uint8Array; readonly code: Uint8Array }

/** The staking contract (contracts/Staking.sol); in older homes, the contract with only the reward addresses. */
export const STAKING_ADDRESS: Uint8Array = fromHex('0x0000000000000000000000000000000000001001')

/** Operators of the verification network (contracts/OperatorRegistry.sol), and receipts of its jobs (contracts/JobReceipts.sol). */
const OPERATOR_REGISTRY_ADDRESS = fromHex('0x0000000000000000000000000000000000002001')
const JOB_RECEIPTS_ADDRESS = fromHex('0x0000000000000000000000000000000000002002')

// Tests verify both codes: they reproduce the addresses of the keyless deployments that created them.
const CREATE2_DEPLOYER_CODE =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3'
const HISTORY_CODE =
  '0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500'

/** All of them. Genesis files include the codes, so a later version of this list does not change a running chain. */
export const PREDEPLOYS: readonly Predeploy[] = [
  {
    address: fromHex('0x4e59b44847b379578588920ca78fbf26c0b4956c'),
    code: fromHex(CREATE2_DEPLOYER_CODE),
  },
  {
    address: fromHex('0xca11bde05977b3631167028862be2a173976ca11'),
    code: fromHex(MULTICALL3_CODE),
  },
  { address: HISTORY_ADDRESS, code: fromHex(HISTORY_CODE) },
  { address: STAKING_ADDRESS, code: fromHex(Staking.deployedBytecode) },
  { address: OPERATOR_REGISTRY_ADDRESS, code: fromHex(OperatorRegistry.deployedBytecode) },
  { address: JOB_RECEIPTS_ADDRESS, code: fromHex(JobReceipts.deployedBytecode) },
]
