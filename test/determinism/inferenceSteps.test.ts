/**
 * 100,000 random steps of the integer engine in Solidity (contracts/InferenceSteps.sol) against the WebAssembly kernels.
 * ASSAY_FUZZ_SEED chooses others.
 */
import { test } from 'vitest'
import { expectAgreement } from '../support/steps/expectAgreement.ts'
import { OPERATIONS } from '../support/steps/operations/operations.ts'

const ALL = 100_000
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? 2)

// Holds D161.
test.each(OPERATIONS)(
  'the contract and the engine agree about many steps of $name',
  (operation) => {
    expectAgreement(operation, Math.ceil(ALL / OPERATIONS.length), SEED)
  },
)
