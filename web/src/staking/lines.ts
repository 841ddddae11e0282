/** Validators as consensus knows them and as the staking contract does, put together by their keys. */
import type { ValidatorRow } from '../chain/validators.ts'
import { hexOfBase64, type GenesisValidator } from './genesisNames.ts'
import type { Validator } from './types.ts'

/** One of both is always there: a set that was elected signs two blocks later, and one that left still signs two blocks. */
export type ValidatorLine = {
  readonly publicKey: string
  /** Its name in genesis; '' if it has none. Untrusted text. */
  readonly name: string
  readonly signer: ValidatorRow | undefined
  readonly validator: Validator | undefined
}

/** One line a key: the signers in their order, then those who do not sign. */
export function linesOf(
  signers: readonly ValidatorRow[],
  validators: readonly Validator[],
  genesis: readonly GenesisValidator[],
): readonly ValidatorLine[] {
  const names = new Map(genesis.map(({ publicKey, name }) => [publicKey, name]))
  const byKey = new Map(validators.map((validator) => [validator.publicKey, validator]))
  const signing = signers.map((signer): ValidatorLine => {
    const publicKey = hexOfBase64(signer.publicKey)
    const validator = byKey.get(publicKey)
    return { publicKey, name: names.get(publicKey) ?? '', signer, validator }
  })
  const taken = new Set(signing.map(({ publicKey }) => publicKey))
  const others = validators
    .filter(({ publicKey }) => !taken.has(publicKey))
    .map((validator): ValidatorLine => ({
      publicKey: validator.publicKey,
      name: names.get(validator.publicKey) ?? '',
      signer: undefined,
      validator,
    }))
  return [...signing, ...others]
}
