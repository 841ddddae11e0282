/** A snapshot's chunks are not the state that they claim to be: another node made them up, or by other rules. */
export class BadSnapshotError extends Error {
  override readonly name = 'BadSnapshotError'
}
