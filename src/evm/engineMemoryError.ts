/** A message needs more memory than an engine has. Only a call with more gas than any transaction may have gets there. */
export class EngineMemoryError extends Error {
  override readonly name = 'EngineMemoryError'

  constructor() {
    super('the execution needs too much memory: ask for less gas, or for less in one call')
  }
}
