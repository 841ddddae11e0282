/** Who sends what to whom, for the transactions that a page shows: blocks name them by their hashes alone. */
import { useEffect, useEffectEvent, useState } from 'react'
import { useNode } from '../net/context.ts'
import { askMany } from '../net/jsonRpc.ts'
import type { Transaction } from '../chain/types.ts'

/** Rows may change sixty times per second: they are requested at this interval. */
const EVERY_MS = 700
const KEPT = 200

export type Details = Pick<Transaction, 'from' | 'to' | 'value'>

/** What is known of some transactions so far. */
export function useDetails(hashes: readonly string[]): ReadonlyMap<string, Details> {
  const { endpoints } = useNode()
  const [known, keep] = useState<ReadonlyMap<string, Details>>(new Map())

  const ask = useEffectEvent(async () => {
    const missing = hashes.filter((hash) => !known.has(hash))
    if (missing.length === 0 || document.hidden) return
    const answers = await askMany(
      endpoints.rpc,
      'eth_getTransactionByHash',
      missing.map((hash) => [hash]),
    )
    const found = (answers as (Transaction | null)[]).filter((each) => each !== null)
    if (found.length === 0) return
    keep((before) => {
      const all = [...before, ...found.map((each): [string, Details] => [each.hash, each])]
      return new Map(all.slice(-KEPT))
    })
  })

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const run = (): void => {
      ask()
        .catch(() => undefined)
        .finally(() => {
          if (!isOver) timer = setTimeout(run, EVERY_MS)
        })
        .catch(() => undefined)
    }
    run()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [])
  return known
}
