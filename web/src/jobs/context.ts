/** The job API of this node, if there is one. */
import { useMemo } from 'react'
import { useNode } from '../net/context.ts'
import { jobApi, type JobApi } from './api.ts'

/** Undefined where no dispatcher is known. */
export function useJobApi(): JobApi | undefined {
  const { endpoints } = useNode()
  return useMemo(
    () => (endpoints.dispatcher === null ? undefined : jobApi(endpoints.dispatcher)),
    [endpoints.dispatcher],
  )
}
