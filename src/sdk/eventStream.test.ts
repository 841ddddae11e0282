import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEvents, type StreamEvent } from './eventStream.ts'

function streamOf(chunks: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk))
      controller.close()
    },
  })
}

async function all(chunks: readonly string[]): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of readEvents(streamOf(chunks))) events.push(event)
  return events
}

test('events are the same, however the stream was cut', async () => {
  const text =
    ': still here\n\nid: created\nevent: created\ndata: {"at":"now"}\n\nevent: draw\ndata: a\ndata: b\n\nid: cut off'
  const expected = [
    { id: 'created', event: 'created', data: '{"at":"now"}' },
    { id: '', event: 'draw', data: 'a\nb' },
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 8 }),
      async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length]
        const chunks = places.slice(1).map((end, index) => text.slice(places[index], end))
        expect(await all(chunks)).toEqual(expected)
      },
    ),
  )
})

test('an endless event is refused', async () => {
  await expect(
    all(['data: ', ...Array.from({ length: 11 }, () => 'x'.repeat(100_000))]),
  ).rejects.toThrow('too long')
})
