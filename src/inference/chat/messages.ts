/** A conversation, as chat templates take it. */
export type ChatMessage = {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** What a template is rendered from. `createdAt` is in seconds since 1970: the only clock that a template sees. */
export type RenderRequest = {
  readonly template: string
  readonly messages: readonly ChatMessage[]
  /** Texts of the tokens that begin and end a sequence; '' if the model has none. */
  readonly bos: string
  readonly eos: string
  readonly createdAt: number
}

/** What the thread answers. */
export type RenderAnswer = { readonly text: string } | { readonly reason: string }
