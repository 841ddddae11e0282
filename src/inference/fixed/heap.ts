/** A priority queue. */
export type Heap<T> = { push(entry: T): void; pop(): T | undefined }

/** An empty binary heap. `isBefore` tells whether one entry is popped before another. */
export function createHeap<T>(isBefore: (a: T, b: T) => boolean): Heap<T> {
  const entries: T[] = []
  const at = (index: number): T => entries[index] as T
  const swap = (a: number, b: number): void => {
    const entry = at(a)
    entries[a] = at(b)
    entries[b] = entry
  }
  return {
    push(entry) {
      let index = entries.push(entry) - 1
      while (index > 0) {
        const parent = (index - 1) >> 1
        if (!isBefore(at(index), at(parent))) return
        swap(index, parent)
        index = parent
      }
    },
    pop() {
      if (entries.length <= 1) return entries.pop()
      const first = at(0)
      entries[0] = entries.pop() as T
      for (let index = 0; ;) {
        let least = index
        for (const child of [2 * index + 1, 2 * index + 2])
          if (child < entries.length && isBefore(at(child), at(least))) least = child
        if (least === index) return first
        swap(index, least)
        index = least
      }
    },
  }
}
