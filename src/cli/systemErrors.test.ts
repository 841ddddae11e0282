import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { UserError } from '../base/errors.ts'
import { explained } from './systemErrors.ts'

const failing = (code: string, file?: string): Error =>
  Object.assign(new Error(`${code}: failed`), { code, ...(file !== undefined && { path: file }) })

test('a file that the system refuses is named, with the reason and advice', () => {
  for (const [code, reason] of [
    ['EROFS', /^\/home\/x cannot be used: its file system is read-only$/],
    ['EACCES', /no permission/],
    ['EPERM', /does not permit/],
    ['ENOSPC', /disk is full/],
    ['EDQUOT', /quota/],
    ['EIO', /disk fails/],
    ['EMFILE', /no more files/],
    ['ENFILE', /no more files/],
  ] as const) {
    const error = explained(failing(code, '/home/x'))
    expect(error).toBeInstanceOf(UserError)
    expect((error as UserError).message).toMatch(reason)
    expect((error as UserError).advice).not.toBe('')
  }
})

test('a file in the place of a folder is such a case', () => {
  const file = path.join(import.meta.filename, 'below')
  try {
    fs.readFileSync(file)
    expect.unreachable()
  } catch (error) {
    expect(String(explained(error))).toContain(`${file} cannot be used`)
  }
})

test('errors of the program itself, and those that explain themselves, stay as they are', () => {
  const bug = new TypeError('x is not a function')
  const own = new UserError('said', 'advice')
  const socket = failing('EACCES')
  for (const error of [bug, own, socket, 'thrown']) expect(explained(error)).toBe(error)
})
