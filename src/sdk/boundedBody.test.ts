import { expect, test } from 'vitest'
import { readJson, readText } from './boundedBody.ts'

const encoder = new TextEncoder()

/** A body that has no end, and whether anybody still reads it. */
function endless() {
  const state = { chunks: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      state.chunks++
      controller.enqueue(encoder.encode('[1,2,3],'.repeat(128)))
    },
    cancel() {
      state.isCancelled = true
    },
  })
  return { state, response: new Response(body) }
}

test('a body without an end is given up at the maximum, and read no further', async () => {
  const { state, response } = endless()
  await expect(readJson(response, 10_240)).rejects.toThrow('the answer is larger than 10240 bytes')
  expect(state.isCancelled).toBe(true)
  expect(state.chunks).toBeLessThan(20)
})

test('characters that come in two parts are one', async () => {
  const bytes = encoder.encode('a€b')
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes.subarray(0, 2))
      controller.enqueue(bytes.subarray(2))
      controller.close()
    },
  })
  expect(await readText(new Response(body), bytes.length)).toBe('a€b')
  expect(await readText(new Response(null))).toBe('')
})
