import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEPLOY, IMAGE, readDeploy, VARIABLE } from '../support/deployFiles.ts'

let folder = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-images-'))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const dockerfile = readDeploy('docker', 'Dockerfile')
const lines = dockerfile.split('\n')

test('the image is built on full versions, runs as nobody special and knows whether it is well', () => {
  expect(lines).toContainEqual(expect.stringMatching(/^ARG NODE_IMAGE=node:24\.\d+\.\d+-\w+/))
  expect(lines.filter((line) => line.startsWith('FROM'))).toEqual([
    // oxlint-disable-next-line no-template-curly-in-string -- of the Dockerfile
    'FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS cometbft',
    // oxlint-disable-next-line no-template-curly-in-string -- of the Dockerfile
    'FROM ${NODE_IMAGE} AS build',
    // oxlint-disable-next-line no-template-curly-in-string -- of the Dockerfile
    'FROM ${NODE_IMAGE}',
  ])
  const at = (start: string) => lines.findIndex((line) => line.startsWith(start))
  expect(at('USER 10001')).toBeGreaterThan(0)
  expect(at('USER 10001')).toBeLessThan(at('ENTRYPOINT'))
  expect(at('HEALTHCHECK')).toBeGreaterThan(0)
  expect(lines).toContain('STOPSIGNAL SIGTERM')
})

test('the image gets files that are there, and the CometBFT that the tests run', () => {
  const root = path.join(DEPLOY, '..')
  const copied = [...dockerfile.matchAll(/^COPY --from=build \/app\/(\S+)/gm)].map(
    ([, file]) => file,
  )
  expect(copied).toContain('deploy/docker/healthcheck.mjs')
  for (const file of copied)
    if (!['node_modules', 'dist', 'runtime'].includes(file ?? ''))
      expect(fs.existsSync(path.join(root, file ?? '')), file).toBe(true)
  const version = /cmd\/cometbft@(v[\d.]+)/.exec(dockerfile)?.[1]
  const binary = fs.readFileSync(path.join(root, 'src/consensus/cometbft/binary.ts'), 'utf8')
  expect(binary).toContain(`'${version?.slice(1)}'`)
})

/** What pin.sh writes into .env, with a program in Docker's place that knows one digest. */
function pinned(): Readonly<Record<string, string>> {
  const place = path.join(folder, 'pin')
  fs.cpSync(path.join(DEPLOY, 'docker', 'pin.sh'), path.join(place, 'pin.sh'))
  const digest = `sha256:${'0a'.repeat(32)}`
  fs.writeFileSync(path.join(place, 'docker'), `#!/bin/sh\necho ${digest}\n`, { mode: 0o755 })
  fs.writeFileSync(path.join(place, '.env'), 'ASSAY_FUND=0x5a\nNODE_IMAGE=node:1.2.3\n')
  const { status, stderr } = spawnSync(path.join(place, 'pin.sh'), {
    env: { ...process.env, PATH: `${place}:${process.env['PATH']}` },
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const written = fs.readFileSync(path.join(place, '.env'), 'utf8').trim().split('\n')
  // What else compose is told there stays.
  expect(written.pop()).toBe('ASSAY_FUND=0x5a')
  return Object.fromEntries(written.map((line) => line.split('=', 2)))
}

test('pin.sh names every image of Dockerfile and compose files by its digest', () => {
  const known = pinned()
  const texts = ['compose.yaml', 'network.yaml']
    .map((file) => readDeploy('docker', file))
    .join('\n')
  const variables = [
    ...[...dockerfile.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name, image]) => [name, image]),
    ...[...texts.matchAll(/\$\{\w+:-[^}]+\}/g)].map(
      ([text]) => VARIABLE.exec(text)?.slice(1) ?? [],
    ),
  ]
  expect(new Set(variables.map(([name]) => name))).toEqual(new Set(Object.keys(known)))
  for (const [name = '', image = ''] of variables) {
    expect(image).toMatch(IMAGE)
    expect(known[name], name).toBe(`${image}@sha256:${'0a'.repeat(32)}`)
    expect(known[name]).toMatch(IMAGE)
  }
})

test('what is secret in the folder of the compose files gets into no image', () => {
  const ignored = readDeploy('docker', 'Dockerfile.dockerignore').split('\n')
  for (const file of ['deploy/docker/postgres-password', 'deploy/docker/.env', '.git'])
    expect(ignored).toContain(file)
})
