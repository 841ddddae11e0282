/** What the sources say of their functions, in a sentence. */
import fs from 'node:fs'
import path from 'node:path'
import type { Node, TSType } from 'oxc-parser'
import { nameOf, readFunctions, type NamedFunction, type Syntax } from '../spans/functions.ts'

export type Sentences = {
  /** Of a function, by the file below src/ and its path; undefined when nothing is said of it. Throws where it is absent. */
  ofFunction(file: string, path: readonly string[]): string | undefined
  /** Of a file. */
  ofFile(file: string): string | undefined
}

type Source = Syntax & { readonly text: string }

/** The first sentence of a docstring, in one line. */
function sentenceIn(comment: string): string | undefined {
  if (!comment.startsWith('*')) return undefined
  const lines = comment.replaceAll(/^\s*\*+ ?/gm, '')
  // A list is more than a sentence.
  const text = lines.replace(/:\s*^- [^]*/m, '.').replaceAll(/\s+/g, ' ')
  const [first = ''] = text.trim().split(/(?<=\.) (?=[A-Z`])/)
  // Numbers of decisions are for those who look at the code.
  return first.replaceAll(/ \((?:D\d+\w?(?:, )?)+\)/g, '') || undefined
}

/** The docstring that ends right before a position. */
function sentenceBefore({ text, comments }: Source, start: number): string | undefined {
  const end = text.slice(0, start).trimEnd().length
  const comment = comments.find((each) => each.end === end)
  return comment && sentenceIn(comment.value)
}

function declaredType({ program }: Source, name: string): TSType | undefined {
  for (const statement of program.body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declared?.type === 'TSTypeAliasDeclaration' && declared.id.name === name)
      return declared.typeAnnotation
  }
  return undefined
}

/** Where a name is imported from, as a file below src/. */
function importedFrom({ program }: Source, file: string, name: string): string | undefined {
  for (const statement of program.body)
    if (statement.type === 'ImportDeclaration' && statement.source.value.startsWith('.'))
      if (statement.specifiers.some(({ local }) => local.name === name))
        return path.join(path.dirname(file), statement.source.value)
  return undefined
}

function returnTypeOf({ node, around }: NamedFunction): readonly Node[] {
  return [node, ...around].flatMap(({ returnType }) => returnType?.typeAnnotation ?? [])
}

/** Sentences from the sources in a folder. */
export function readSentences(folder: string): Sentences {
  const sources = new Map<string, Source>()

  function source(file: string): Source {
    const known = sources.get(file)
    if (known !== undefined) return known
    const text = fs.readFileSync(path.join(folder, file), 'utf8')
    const read = { ...readFunctions(file, text), text }
    sources.set(file, read)
    return read
  }

  /** The docstring of a member of a type, of what it consists of, or of what that is an alias for. */
  function ofMember(file: string, type: Node, member: string): string | undefined {
    if (type.type === 'TSTypeLiteral') {
      const found = type.members.find((each) => 'key' in each && nameOf(each.key) === member)
      return found && sentenceBefore(source(file), found.start)
    }
    if (type.type === 'TSIntersectionType') return firstOf(type.types, file, member)
    if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return undefined
    const { name } = type.typeName
    const declared = declaredType(source(file), name)
    if (declared !== undefined) return ofMember(file, declared, member)
    const from = importedFrom(source(file), file, name)
    const other = from && declaredType(source(from), name)
    if (from !== undefined && other) return ofMember(from, other, member)
    return firstOf(type.typeArguments?.params ?? [], file, member)
  }

  function firstOf(types: readonly Node[], file: string, member: string): string | undefined {
    for (const type of types) {
      const found = ofMember(file, type, member)
      if (found !== undefined) return found
    }
    return undefined
  }

  return {
    ofFunction(file, path) {
      const read = source(file)
      const found = read.functions.find((each) => each.path.join() === path.join())
      if (found === undefined)
        throw new RangeError(
          `src/${file} has no ${path.join(' ')}: the build is stale, run npm run build`,
        )
      const member = path.at(-1) ?? ''
      return (
        sentenceBefore(read, found.start) ??
        found.summary ??
        firstOf(returnTypeOf(found), file, member)
      )
    },
    ofFile(file) {
      const { comments, text } = source(file)
      const [first] = comments
      return first !== undefined && text.slice(0, first.start).trim() === ''
        ? sentenceIn(first.value)
        : undefined
    },
  }
}
