/** An HTTP response before it is written. */
export type HttpReply = {
  readonly status: number
  readonly body: string
  /** May be cached for a day. */
  readonly cacheable: boolean
  /** JSON by default. */
  readonly contentType?: string
}
