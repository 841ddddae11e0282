/** Walks a syntax tree of oxc-parser. */

export type SyntaxNode = {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** Visits every node, parents first; `parent` is the one above, and `key` says in which field it holds the node. */
export function walk(
  root: unknown,
  visit: (node: SyntaxNode, parent: SyntaxNode | undefined, key: string) => void,
): void {
  const stack: { node: SyntaxNode; parent: SyntaxNode | undefined; key: string }[] = []
  if (isNode(root)) stack.push({ node: root, parent: undefined, key: '' })
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, parent, key } = next
    visit(node, parent, key)
    for (const [field, value] of Object.entries(node))
      for (const child of Array.isArray(value) ? value : [value])
        if (isNode(child)) stack.push({ node: child, parent: node, key: field })
  }
}
