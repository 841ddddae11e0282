import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createHomes } from '../../src/cli/network/create.ts'
import { faultOf } from '../support/commandLine.ts'
import { DEPLOY, IMAGE, readDeploy, VARIABLE } from '../support/deployFiles.ts'
import { hasTool } from '../support/tools.ts'

type Mount = {
  readonly source: string
  readonly target: string
  readonly volume: { readonly subpath: string }
}
type Service = {
  readonly image: string
  readonly ports?: readonly string[]
  readonly volumes?: readonly (string | Mount)[]
  readonly command?: readonly string[]
  readonly networks?: readonly string[]
  readonly secrets?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly security_opt: readonly string[]
}
type Compose = {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly networks?: Readonly<Record<string, { readonly internal?: boolean }>>
}

const FILES = ['compose.yaml', 'network.yaml'] as const
const read = (file: string) =>
  parse(readDeploy('docker', file), { merge: true, maxAliasCount: -1 }) as Compose

let folder = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-compose-'))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

describe.each(FILES)('%s', (name) => {
  const file = read(name)

  test('publishes on this machine alone, confines everything and names versions and files that are there', () => {
    for (const { image, ports = [], volumes = [], security_opt } of Object.values(file.services)) {
      expect(VARIABLE.exec(image)?.[2] ?? image).toMatch(IMAGE)
      expect(security_opt).toContain('no-new-privileges:true')
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
      for (const volume of volumes) {
        const source = typeof volume === 'string' ? (volume.split(':')[0] ?? '') : volume.source
        if (source.startsWith('.'))
          expect(fs.existsSync(path.join(DEPLOY, 'docker', source)), source).toBe(true)
        else expect(Object.keys(file.volumes)).toContain(source)
      }
    }
  })

  test('starts commands of assay that exist, with options that exist', () => {
    const ours = Object.values(file.services).filter(({ image }) => image.startsWith('assay:'))
    expect(ours.length).toBeGreaterThan(0)
    for (const { command = [] } of ours) expect(faultOf(command), command.join(' ')).toBeUndefined()
  })

  test('no port of this machine is published twice, and no service waits for one that is not there', () => {
    const services = Object.values(file.services)
    const published = services.flatMap(({ ports = [] }) =>
      ports.map((port) => port.split(':').slice(0, 2).join(':')),
    )
    expect(new Set(published).size).toBe(published.length)
    for (const { depends_on = {} } of services)
      for (const other of Object.keys(depends_on)) expect(file.services).toHaveProperty(other)
  })

  test.runIf(hasTool('compose-go'))('conforms to the Compose Specification', () => {
    const copy = path.join(folder, name)
    fs.writeFileSync(copy, readDeploy('docker', name).replace(/\$\{ASSAY_FUND[^}]*\}/, '0x5a'))
    const { status, stderr } = spawnSync('compose-go', ['-no-path-resolution', copy], {
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})

test('the network has a service for each home that its first service creates, at the host that the others expect', () => {
  const { services } = read('network.yaml')
  const [, , ...flags] = services['homes']?.command ?? []
  const valueOf = (flag: string) =>
    flags.find((each) => each.startsWith(`--${flag}=`))?.slice(flag.length + 3)
  const homes = createHomes(path.join(folder, 'homes'), {
    validators: Number(valueOf('validators')),
    full: Number(valueOf('full')),
    blockInterval: '1s',
    snapshotInterval: 0,
    hosts: '%',
    at: valueOf('at') ?? '',
    fund: [],
    rpcHost: undefined,
    database: valueOf('database'),
  })
  const mounted = Object.entries(services).flatMap(([service, { volumes = [] }]) =>
    volumes.flatMap((each) => (typeof each === 'string' ? [] : [[service, each] as const])),
  )
  expect(mounted.map(([service]) => service).toSorted()).toEqual(homes.toSorted())
  for (const [service, { source, target, volume }] of mounted)
    expect({ source, target, subpath: volume.subpath }).toEqual({
      source: 'homes',
      target: valueOf('at'),
      subpath: service,
    })
  const host = new URL(valueOf('database') ?? '').hostname
  expect(services).toHaveProperty(host)
})

test('validators and the database reach nothing outside, and publish nothing', () => {
  const { services, networks = {} } = read('network.yaml')
  for (const [name, { networks: own = [], ports }] of Object.entries(services))
    if (/^(?:validator\d+|postgres|opml|tee|worker|homes)$/.test(name)) {
      expect(ports, name).toBeUndefined()
      for (const network of own)
        expect(networks[network]?.internal, `${name}: ${network}`).toBe(true)
    }
  for (const [name, { networks: own }] of Object.entries(services))
    expect(own?.includes('database') ?? false, name).toBe(
      ['postgres', 'dispatcher', 'opml', 'tee'].includes(name),
    )
})

test.each(['prometheus.yml', 'network.yml'])(
  'what %s scrapes is asked by address: every program refuses names that it does not know',
  (name) => {
    const { scrape_configs: jobs } = parse(readDeploy('prometheus', name)) as {
      readonly scrape_configs: readonly Readonly<Record<string, unknown>>[]
    }
    const { services } = read(name === 'network.yml' ? 'network.yaml' : 'compose.yaml')
    for (const { static_configs, dns_sd_configs } of jobs) {
      expect(static_configs).toBeUndefined()
      for (const { names, type } of dns_sd_configs as readonly {
        names: string[]
        type: string
      }[]) {
        expect(type).toBe('A')
        for (const each of names) expect(services).toHaveProperty(each)
      }
    }
  },
)
