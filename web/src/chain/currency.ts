/** The name of the chain's currency: derived from the chain id of the consensus RPC. */
import { useCallback, useSyncExternalStore } from 'react'
import { useNode } from '../net/context.ts'

type Status = { readonly node_info: { readonly network: string } }

const LONGEST = 12

let symbol = ''
let isAsked = false
const listeners = new Set<() => void>()

/** "ASSAY" for the chain "assay_271828-1"; '' until it is known. */
export function useCurrency(): string {
  const { consensus } = useNode()
  const subscribe = useCallback(
    (listener: () => void): (() => void) => {
      listeners.add(listener)
      if (!isAsked) {
        isAsked = true
        consensus('status', {}).then(
          (status) => {
            const [name = ''] = (status as Status).node_info.network.split('_')
            symbol = /^[a-z]+$/.test(name) ? name.slice(0, LONGEST).toUpperCase() : ''
            for (const each of listeners) each()
          },
          () => {
            isAsked = false
          },
        )
      }
      return () => listeners.delete(listener)
    },
    [consensus],
  )
  return useSyncExternalStore(subscribe, () => symbol)
}
