/** Writes the responses of JSON-RPC over HTTP. */
import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { jsonBytes, type JsonText } from './rawJson.ts'

const gzip = promisify(zlib.gzip)

/** Ends a response with one line of plain text. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(`${text}\n`)
}

// Node writes a flat list of headers as it is; an object would have to be converted first.
function headersOf(size: number, ...more: OutgoingHttpHeader[]): OutgoingHttpHeader[] {
  return ['Content-Type', 'application/json', 'Content-Length', String(size), ...more]
}

function sendString(response: ServerResponse, status: number, text: string): void {
  const size = Buffer.byteLength(text)
  response.writeHead(status, headersOf(size))
  // Headers and body are sent as one string in one system call: end(text) would make a list of two.
  response.write(text, size === text.length ? 'latin1' : 'utf8')
  response.socket?.uncork()
  response.end()
}

/** Compresses a response with gzip. */
export async function gzipText(text: JsonText): Promise<Buffer> {
  return await gzip(typeof text === 'string' ? text : jsonBytes(text), { level: 1 })
}

async function sendCompressed(
  response: ServerResponse,
  status: number,
  text: JsonText,
): Promise<void> {
  const body = await gzipText(text)
  response.writeHead(status, headersOf(body.length, 'Content-Encoding', 'gzip'))
  response.end(body)
}

async function sendPieces(
  response: ServerResponse,
  status: number,
  { length, pieces }: Exclude<JsonText, string>,
): Promise<void> {
  response.writeHead(status, headersOf(length))
  await pipeline(pieces, response)
}

/**
 * Ends a response with JSON, compressed from a certain length on for clients that accept it. Returns a promise where
 * that is asynchronous; it rejects when the client disconnects.
 */
export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  {
    status,
    text,
    compressFrom,
  }: { status: number; text: JsonText; compressFrom: number | undefined },
): void | Promise<void> {
  if (
    compressFrom !== undefined &&
    text.length >= compressFrom &&
    /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  )
    return sendCompressed(response, status, text)
  if (typeof text !== 'string') return sendPieces(response, status, text)
  sendString(response, status, text)
}
