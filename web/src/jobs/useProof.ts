/** The proof of a finished job: its bundle, verified as soon as it is shown, and again until the chain has its receipt. */
import { useEffect, useState } from 'react'
import type { Report } from '../../../src/proof/bundle/report.ts'
import { useNode } from '../net/context.ts'
import { useTrustedDispatchers } from '../proof/dispatchers.ts'
import type { JobApi } from './api.ts'
import type { Message } from './types.ts'

export type Proof =
  | { readonly state: 'waiting' }
  | { readonly state: 'failed'; readonly reason: string }
  | {
      readonly state: 'here'
      readonly report: Report
      /** Who signed the receipts; '' if the bundle does not say. */
      readonly dispatcher: string
      /** Operators of its answers, in their order. */
      readonly operators: readonly string[]
    }

export type Subject = {
  readonly id: string
  /** The prompt as the job has it; undefined if it is not known. */
  readonly prompt?: string | undefined
  /** The conversation that the job has in place of a prompt. */
  readonly messages?: readonly Message[] | undefined
  /** The text that is shown as the answer; undefined where the bundle's own is shown. */
  readonly text?: string | undefined
}

const WAITING: Proof = { state: 'waiting' }
const AGAIN_MS = 3000
/** Receipts are anchored once per interval, and the header that signs it comes with the next block. */
const ATTEMPTS = 40

/** The proof of a job. Nothing is asked while `isWanted` is false. */
export function useProof(api: JobApi, subject: Subject, isWanted = true): Proof {
  const node = useNode()
  const trusted = useTrustedDispatchers()
  const { id, prompt, text } = subject
  // By value: a new list at every render.
  const messages = subject.messages === undefined ? undefined : JSON.stringify(subject.messages)
  const [held, hold] = useState<{ readonly id: string; readonly proof: Proof }>()

  useEffect(() => {
    if (!isWanted) return undefined
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const check = async (): Promise<Proof> => {
      const [receipt, { checkJob }] = await Promise.all([
        api.receipt(id),
        import('../proof/bundle.ts'),
      ])
      const conversation =
        messages === undefined ? undefined : (JSON.parse(messages) as readonly Message[])
      const known = { prompt, messages: conversation, text, jobId: id, dispatchers: trusted }
      return { state: 'here', ...(await checkJob(node, receipt, known)) }
    }
    const run = (attempt: number): void => {
      check()
        .catch((error: unknown): Proof => ({
          state: 'failed',
          reason: error instanceof Error ? error.message : String(error),
        }))
        .then((proof) => {
          if (!isCurrent) return
          hold({ id, proof })
          const isDone =
            proof.state === 'here' &&
            (!proof.report.holds || proof.report.facts.every((facts) => facts.includes('anchored')))
          if (!isDone && attempt < ATTEMPTS) timer = setTimeout(() => run(attempt + 1), AGAIN_MS)
        })
        .catch(() => undefined)
    }
    run(1)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [api, id, prompt, messages, text, node, trusted, isWanted])

  return held?.id === id ? held.proof : WAITING
}
