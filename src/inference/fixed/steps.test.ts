/**
 * Every operation of the integer engine in Solidity (contracts/InferenceSteps.sol) against the WebAssembly kernels.
 * ASSAY_FUZZ_STEPS (of each operation) and ASSAY_FUZZ_SEED make it longer; test/determinism has 100,000.
 */
import { test } from 'vitest'
import { expectAgreement } from '../../../test/support/steps/expectAgreement.ts'
import { OPERATIONS } from '../../../test/support/steps/operations/operations.ts'

const STEPS = Number(process.env['ASSAY_FUZZ_STEPS'] ?? 60)
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? 1)

// Holds D161 and D162.
test.each(OPERATIONS)('the contract and the engine agree about $name', (operation) => {
  expectAgreement(operation, STEPS, SEED)
})
