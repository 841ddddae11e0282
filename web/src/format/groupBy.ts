/** Groups of a list, in the order in which they first appear. */

/** The items by their key. (Map.groupBy is not in every browser yet.) */
export function groupBy<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): readonly { readonly key: string; readonly items: readonly T[] }[] {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return [...groups].map(([key, grouped]) => ({ key, items: grouped }))
}
