/** Refuses parameters that no engine accepts. */
import type { GenerateRequest } from './engine.ts'
import { InferenceError } from './errors.ts'

/** Throws InferenceError `bad-parameters`, which names the parameter. */
export function checkParameters({ temperature, topP, maxTokens, seed }: GenerateRequest): void {
  const problem = !(temperature >= 0 && temperature <= 100)
    ? 'temperature is not between 0 and 100'
    : !(topP > 0 && topP <= 1)
      ? 'top_p is not above 0 and at most 1'
      : !(Number.isSafeInteger(maxTokens) && maxTokens >= 1)
        ? 'max_tokens is not a positive integer'
        : !(seed >= 0n && seed < 1n << 64n)
          ? 'the seed is not a 64-bit integer'
          : undefined
  if (problem !== undefined) throw new InferenceError('bad-parameters', problem)
}
