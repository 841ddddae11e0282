/** Opening the address that the consensus RPC listens on. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { codeOf, messageOf, UserError } from '../../../base/errors.ts'
import type { Log } from '../../../base/log.ts'

export type ListenAddress = {
  /** Without brackets. */
  readonly host: string
  readonly port: number
  /** The host as it stands in a URL. */
  readonly text: string
}

/** Reads `tcp://host:port`, an IPv6 host in brackets. Throws UserError. */
export function parseListenAddress(listen: string): ListenAddress {
  const [, text = '', port = ''] =
    /^tcp:\/\/(\[[0-9a-f:.]+\]|[^\s:/[\]]*):(\d{1,5})$/i.exec(listen) ?? []
  if (port === '' || Number(port) > 65_535) {
    throw new UserError(
      `the consensus RPC cannot listen on "${listen}"`,
      'Give rpc.laddr the form tcp://host:port, for example tcp://127.0.0.1:26657.',
    )
  }
  const named = text === '' ? '0.0.0.0' : text
  return { host: named.replace(/^\[|\]$/g, ''), port: Number(port), text: named }
}

function open(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/**
 * Opens servers on an address: the one that was asked for, and with 127.0.0.1 also ::1 where the machine has it, because
 * clients try that first for "localhost" (D50). Throws UserError when the first cannot be had.
 */
export async function listenAt(
  { host, port, text }: ListenAddress,
  makeServer: () => Server,
  log: Log,
): Promise<readonly [Server, ...Server[]]> {
  const server = makeServer()
  try {
    await open(server, host, port)
  } catch (error) {
    throw new UserError(
      codeOf(error) === 'EADDRINUSE'
        ? `the consensus RPC cannot listen on ${text}:${port}: port ${port} is taken by another program`
        : `the consensus RPC cannot listen on ${text}:${port}: ${messageOf(error)}`,
      'Stop what uses it, or choose another address with --rpc.laddr tcp://host:port.',
    )
  }
  if (host !== '127.0.0.1') return [server]
  const twin = makeServer()
  try {
    await open(twin, '::1', (server.address() as AddressInfo).port)
    return [server, twin]
  } catch (error) {
    log.debug({ err: error }, 'consensus RPC: not on ::1')
    return [server]
  }
}
