/** Damage to a store's file that a seed decides, over every table and every kind of page. */
import fs from 'node:fs'
import {
  openPageFile,
  readTree,
  type PageFile,
  type Tree,
} from '../../../src/store/pages/pageFile.ts'
import { walkTree } from '../../../src/store/pages/walkTree.ts'

/** Damage of one sort, in words, and the file after it. */
export type Damage = { readonly what: string; readonly bytes: Buffer }

type Place = { readonly what: string; readonly pages: readonly number[] }

type Random = () => number

/** The pages of a tree, by what they are for. */
function placesOf(file: PageFile, name: string, tree: Tree): readonly Place[] {
  const [single, large]: [number[], number[]] = [[], []]
  walkTree(file, tree, {
    compare: () => -1,
    claim(page, count) {
      if (count === 1) single.push(page)
      else for (let i = 0; i < count; i++) large.push(page + i)
      return true
    },
    record: () => undefined,
    fault: () => undefined,
  })
  return [
    { what: `a page of ${name}`, pages: single },
    { what: `a large value of ${name}`, pages: large },
  ]
}

/** All places of a whole store: its two roots, the pages of each table, the list of free pages. */
function placesIn(folder: string): {
  readonly places: readonly Place[]
  readonly pageSize: number
} {
  const file = openPageFile(folder)
  if (file === undefined) throw new Error('no store')
  const { meta } = file
  const tables: (readonly [string, Tree])[] = []
  walkTree(file, meta.main, {
    compare: () => -1,
    claim: () => true,
    record: (key, value, isTree) => {
      if (isTree) tables.push([key.toString('latin1').replace(/\0$/, ''), readTree(value)])
    },
    fault: () => undefined,
  })
  const places = [
    { what: 'a root', pages: [0, 1] },
    ...placesOf(file, 'the list of tables', meta.main),
    ...placesOf(file, 'the list of free pages', meta.free),
    ...tables.flatMap(([name, tree]) => placesOf(file, name, tree)),
  ]
  file.close()
  return { places: places.filter(({ pages }) => pages.length > 0), pageSize: meta.pageSize }
}

/** Damages of the store in `folder`, each drawn by `random`. `whole` is its file. */
export function createDamages(folder: string, random: Random) {
  const whole = fs.readFileSync(`${folder}/data.mdb`)
  const { places, pageSize } = placesIn(folder)
  const below = (limit: number): number => Math.floor(random() * limit)
  let next = 0

  function place(): { readonly what: string; readonly page: number } {
    const { what, pages } = places[next++ % places.length] as Place
    return { what, page: pages[below(pages.length)] as number }
  }

  return {
    /** One bit, each time in another table or kind of page. */
    flip(): Damage {
      const { what, page } = place()
      const bytes = Buffer.from(whole)
      const at = page * pageSize + below(pageSize)
      const bit = below(8)
      bytes[at] = (bytes[at] as number) ^ (1 << bit)
      return { what: `bit ${bit} of byte ${at} in ${what}`, bytes }
    },
    zeros(): Damage {
      const { what, page } = place()
      const bytes = Buffer.from(whole)
      bytes.fill(0, page * pageSize, (page + 1) * pageSize)
      return { what: `zeros in ${what} (${page})`, bytes }
    },
    /** The content of another page, under its own number. */
    foreign(): Damage {
      const [to, from] = [place(), place()]
      const bytes = Buffer.from(whole)
      whole.copy(bytes, to.page * pageSize, from.page * pageSize, (from.page + 1) * pageSize)
      bytes.writeBigUInt64LE(BigInt(to.page), to.page * pageSize)
      return { what: `${from.what} (${from.page}) in place of ${to.what} (${to.page})`, bytes }
    },
    swapped(): Damage {
      const [a, b] = [place(), place()]
      const bytes = Buffer.from(whole)
      for (const [to, from] of [
        [a.page, b.page],
        [b.page, a.page],
      ] as const)
        whole.copy(bytes, to * pageSize, from * pageSize, (from + 1) * pageSize)
      return { what: `${a.what} (${a.page}) and ${b.what} (${b.page}) swapped`, bytes }
    },
    /** Cut anywhere: at a page, within one, within the roots, to nothing. */
    cut(): Damage {
      const sizes = [
        below(whole.length / pageSize) * pageSize,
        below(whole.length),
        below(2 * pageSize),
        0,
      ]
      const size = sizes[next++ % sizes.length] as number
      return { what: `cut to ${size} of ${whole.length} bytes`, bytes: whole.subarray(0, size) }
    },
  }
}
