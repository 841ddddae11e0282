/** What a zip file says that cannot be true, or that is not supported. */
export class ZipError extends Error {
  override readonly name = 'ZipError'
}
