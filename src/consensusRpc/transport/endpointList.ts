/** The page at `/`: every endpoint as a link. */
import type { CometTable } from '../table.ts'
import type { HttpReply } from './reply.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)

/** The page; `host` is the name under which the client reached this server. */
export function endpointList(table: CometTable, host: string): HttpReply {
  const names = [...table.keys()].sort()
  const links = names.map((name) => {
    const method = table.get(name)
    const args = Object.keys(method?.args ?? {}).map((argument) => `${argument}=_`)
    const link = escapeHtml(`//${host}/${name}${args.length > 0 ? `?${args.join('&')}` : ''}`)
    return `<li><a href="${link}">${link}</a> ${escapeHtml(method?.summary ?? '')}</li>`
  })
  return {
    status: 200,
    contentType: 'text/html; charset=utf-8',
    cacheable: false,
    body: `<!doctype html><html><head><title>Consensus RPC</title></head><body><h1>Available endpoints</h1><ul>${links.join('')}</ul></body></html>`,
  }
}
