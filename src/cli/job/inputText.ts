/** Texts from files and from standard input. */
import fs from 'node:fs'
import { messageOf, UserError } from '../../base/errors.ts'

/** Standard input can be read once. */
let standardInput: string | undefined

/** The contents of a file; "-" is standard input, which several options may name. Throws UserError. */
export function readInput(file: string): string {
  try {
    if (file === '-') return (standardInput ??= fs.readFileSync(0, 'utf8'))
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    const name = file === '-' ? 'standard input' : file
    throw new UserError(`${name} cannot be read: ${messageOf(error)}`)
  }
}

/** Throws UserError when standard input would be two things at once: a bundle and a prompt. */
export function requireOneInput(...files: readonly (string | undefined)[]): void {
  if (files.filter((file) => file === '-').length > 1)
    throw new UserError('standard input can be only one of them', 'Pass a file for the others.')
}
