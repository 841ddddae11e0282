/**
 * A message needs more memory than an engine has. Only a call with more gas than any transaction may have can get
 * there.
 */
export class EngineMemoryError extends Error {
  override readonly name = 'EngineMemoryError'

  constructor() {
    super('the execution needs too much memory: use less gas, or do less in one call')
  }
}
