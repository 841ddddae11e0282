/** A snapshot's chunks are not the state that they claim to be: another node forged them, or built them by other rules. */
export class BadSnapshotError extends Error {
  override readonly name = 'BadSnapshotError'
}
