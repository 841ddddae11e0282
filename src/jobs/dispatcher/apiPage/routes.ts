/** Serves the API page. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { renderApiPage } from './render.ts'
import { API_PAGE_STYLE } from './style.ts'

/** Only the page's own style is loaded, no script runs, and no site can frame it. */
const POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

function guarded(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-security-policy', POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
}

/** Adds the page at /docs, which shows the document. */
export function addApiPage(app: FastifyInstance, document: () => object): void {
  let page: string | undefined
  app.get('/docs', { schema: { hide: true } }, async (_request, reply) => {
    page ??= renderApiPage(document())
    return guarded(reply).type('text/html; charset=utf-8').send(page)
  })
  app.get('/docs/style.css', { schema: { hide: true } }, async (_request, reply) =>
    guarded(reply).type('text/css; charset=utf-8').send(API_PAGE_STYLE),
  )
}
