import { expect, test } from 'vitest'
import { databaseHosts, databaseName, withDatabase } from './databaseUrl.ts'

test('a URL with one host is itself', () => {
  const url = 'postgres://u:p%40@db.example:5433/jobs?sslmode=require'
  expect(databaseHosts(url)).toEqual({ urls: [url], needsWrites: false })
  const socket = 'postgres:///jobs?host=/run/postgresql'
  expect(databaseHosts(socket)).toEqual({ urls: [socket], needsWrites: false })
})

test('of several hosts one must take writes, unless the URL says otherwise', () => {
  expect(databaseHosts('postgres://u:p@a:1,[::1]:2/jobs?sslmode=require')).toEqual({
    urls: [
      'postgres://u:p@a:1/jobs?sslmode=require',
      'postgres://u:p@[::1]:2/jobs?sslmode=require',
    ],
    needsWrites: true,
  })
  expect(databaseHosts('postgres://a,b/jobs?target_session_attrs=any')).toEqual({
    urls: ['postgres://a/jobs', 'postgres://b/jobs'],
    needsWrites: false,
  })
  for (const wanted of ['read-write', 'primary'])
    expect(databaseHosts(`postgres://a/jobs?target_session_attrs=${wanted}`)).toEqual({
      urls: ['postgres://a/jobs'],
      needsWrites: true,
    })
})

test('the name of the database can be read and replaced, whatever the hosts are', () => {
  const url = 'postgres://u:p@a:1,b:2/my%20jobs?sslmode=require'
  expect(databaseName(url)).toBe('my jobs')
  expect(withDatabase(url, 'a b')).toBe('postgres://u:p@a:1,b:2/a%20b?sslmode=require')
})

test('what is no such URL, or wants a server that cannot be written to, is none', () => {
  for (const text of [
    '',
    'mysql://a/jobs',
    'postgres://a:x/jobs',
    'postgres://a,,b/jobs',
    `postgres://${Array.from({ length: 17 }, () => 'a').join(',')}/jobs`,
    'postgres://a/jobs?target_session_attrs=standby',
  ])
    expect(databaseHosts(text), text).toBeUndefined()
})
