/** Cuts tokens that are named in a text, such as `<|im_end|>`, out of it before anything is merged. */
import { utf8 } from '../../../base/bytes.ts'
import { TOKEN_TYPE, type Vocabulary } from './vocabulary.ts'

/** A piece of a text: a token, or text in which none was found. */
export type Fragment = { readonly token: number } | { readonly text: string }

export type SpecialTokens = {
  /**
   * Cuts a text. User-defined tokens are found in any text; control tokens only with `hasControls`: what a user wrote never
   * becomes one (D118).
   */
  cut(text: string, hasControls: boolean): readonly Fragment[]
  /** Where a text names control tokens: beginnings, ascending. */
  controlsIn(text: string): readonly number[]
}

type Node = { readonly next: Map<number, Node>; named?: Named }
/** `bytes`: length of its text in UTF-8. */
type Named = { readonly token: number; readonly bytes: number }
type Match = Named & { readonly at: number; readonly end: number }

/** What `isspace` of C takes for white space. */
const SPACES = /^[ \t-\r]+/

/** Prepares the special tokens of a vocabulary. White space after a token is dropped where `stripsAfter` says so. */
export function createSpecialTokens(
  { texts, types }: Vocabulary,
  stripsAfter: (token: number) => boolean,
): SpecialTokens {
  const controls: Node = { next: new Map() }
  const all: Node = { next: new Map() }
  const userDefined: Node = { next: new Map() }
  types.forEach((type, token) => {
    const text = texts[token] as string
    const isControl = type === TOKEN_TYPE.control || type === TOKEN_TYPE.unknown
    if (text === '' || (!isControl && type !== TOKEN_TYPE.userDefined)) return
    insert(all, text, token)
    insert(isControl ? controls : userDefined, text, token)
  })
  return {
    cut: (text, hasControls) =>
      cutMatches(text, matchesIn(text, hasControls ? all : userDefined), stripsAfter),
    controlsIn: (text) => matchesIn(text, controls).map(({ at }) => at),
  }
}

function insert(root: Node, text: string, token: number): void {
  let node = root
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const next = node.next.get(code) ?? { next: new Map() }
    node.next.set(code, next)
    node = next
  }
  node.named = { token, bytes: utf8(text).length }
}

/** Every place where a token of the tree is named, overlapping ones too. */
function matchesIn(text: string, root: Node): readonly Match[] {
  const matches: Match[] = []
  if (root.next.size === 0) return matches
  for (let at = 0; at < text.length; at++) {
    let node = root.next.get(text.charCodeAt(at))
    for (let i = at + 1; node !== undefined; i++) {
      if (node.named !== undefined) matches.push({ ...node.named, at, end: i })
      node = i < text.length ? node.next.get(text.charCodeAt(i)) : undefined
    }
  }
  return matches
}

/** Longer tokens first, as llama.cpp does; among equals the leftmost. */
function cutMatches(
  text: string,
  matches: readonly Match[],
  stripsAfter: (token: number) => boolean,
): readonly Fragment[] {
  const taken = new Uint8Array(matches.length === 0 ? 0 : text.length)
  const chosen: Match[] = []
  for (const match of matches.toSorted((a, b) => b.bytes - a.bytes || a.at - b.at)) {
    if (taken.subarray(match.at, match.end).includes(1)) continue
    taken.fill(1, match.at, match.end)
    chosen.push(match)
  }
  const fragments: Fragment[] = []
  let before: number | undefined
  const push = (piece: string): void => {
    const isStripped = before !== undefined && stripsAfter(before)
    const rest = isStripped ? piece.replace(SPACES, '') : piece
    if (rest !== '') fragments.push({ text: rest })
  }
  let at = 0
  for (const match of chosen.toSorted((a, b) => a.at - b.at)) {
    push(text.slice(at, match.at))
    fragments.push({ token: match.token })
    before = match.token
    at = match.end
  }
  push(text.slice(at))
  return fragments
}
