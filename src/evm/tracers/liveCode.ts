/** The code of accounts while a transaction runs: including its initial delegations, and the contracts it has created. */
import { EMPTY_BYTES } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { applyAuthorizations } from '../delegation.ts'
import type { Hooks } from '../hooks.ts'
import { overlay } from '../overlay.ts'
import { CREATE, CREATE2 } from './opcodes.ts'
import type { TracedRun } from './tracer.ts'

/** The contracts that an open frame creates if it succeeds, by address in hex digits. */
type Created = { readonly own: string | undefined; readonly codes: Map<string, Uint8Array> }

export type LiveCode = {
  readonly hooks: Pick<Hooks, 'onEnter' | 'onLeave'>
  codeOf(address: Uint8Array): Uint8Array
}

/** Watches creations; the code is empty while one runs. */
export function watchCode({ transaction, block, state }: TracedRun): LiveCode {
  const world = overlay(state)
  applyAuthorizations(transaction.authorizationList, block.chainId, world)
  const outermost: Created = { own: undefined, codes: new Map() }
  const open: Created[] = [outermost]

  return {
    hooks: {
      onEnter({ opcode, to }) {
        const isCreation = opcode === CREATE || opcode === CREATE2
        open.push({ own: isCreation ? toHexDigits(to) : undefined, codes: new Map() })
      },
      onLeave({ status, output }) {
        const ended = open.pop()
        if (ended === undefined || status !== 'success') return
        const { codes } = open.at(-1) ?? outermost
        for (const [key, code] of ended.codes) codes.set(key, code)
        if (ended.own !== undefined) codes.set(ended.own, output)
      },
    },
    codeOf(address) {
      const key = toHexDigits(address)
      for (const { codes } of open.toReversed()) {
        const code = codes.get(key)
        if (code !== undefined) return code
      }
      const account = world.account(address)
      return account === undefined ? EMPTY_BYTES : world.code(account.codeHash)
    },
  }
}
