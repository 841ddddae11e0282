/** An answer over HTTP, before it is written. */
export type HttpReply = {
  readonly status: number
  readonly body: string
  /** May be kept by caches for a day. */
  readonly cacheable: boolean
  /** JSON unless set. */
  readonly contentType?: string
}
