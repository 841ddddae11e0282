/** Access to the node for every part of the page. */
import { createContext, useContext } from 'react'
import type { Ask } from './jsonRpc.ts'
import type { Endpoints } from './endpoints.ts'

export type Node = {
  readonly endpoints: Endpoints
  readonly ethereum: Ask
  readonly consensus: Ask
}

export const NodeContext = createContext<Node | undefined>(undefined)

/** The node. Only below the provider. */
export function useNode(): Node {
  const node = useContext(NodeContext)
  if (node === undefined) throw new Error('there is no node above this part of the page')
  return node
}
