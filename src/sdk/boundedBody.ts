/** Bodies of responses with a maximum: the server is a stranger. */

/** Maximum size of a whole answer, in bytes: as large as a bundle may be. */
export const MAX_BODY = 64 * 1024 * 1024

/** The text of a response. Throws RangeError, and stops reading, when it is larger than `max` bytes. */
export async function readText(response: Response, max = MAX_BODY): Promise<string> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let bytes = 0; ;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      bytes += value.length
      if (bytes > max) throw new RangeError(`the answer is larger than ${max} bytes`)
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    // Nothing is left to cancel at its end.
    await reader.cancel().catch(() => undefined)
  }
}

/** The JSON value of a response. Throws as `readText` does, and SyntaxError for what is no JSON. */
export async function readJson(response: Response, max?: number): Promise<unknown> {
  return JSON.parse(await readText(response, max)) as unknown
}
