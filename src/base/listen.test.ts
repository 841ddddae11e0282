import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { UserError } from './errors.ts'
import { listen, requireFree } from './listen.ts'

test('an address that somebody listens on is refused with the flag that changes it', async () => {
  const server = createServer()
  const port = await listen(server, { host: '127.0.0.1', port: 0 }, '--first')
  const refusal = await requireFree({ host: '127.0.0.1', port }, '--second').catch(
    (error: unknown) => error,
  )
  expect(refusal).toBeInstanceOf(UserError)
  expect(refusal).toMatchObject({
    message: `127.0.0.1:${port} is in use: another program listens on port ${port}`,
    advice: 'Choose another address with --second (port 0 picks a free port).',
  })
  await once(server.close(), 'close')
  await requireFree({ host: '127.0.0.1', port: 0 }, '--second')
})
