import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseAllDocuments } from 'yaml'
import { type Config, readConfig } from '../../src/config/config.ts'
import { SECRET_SETTINGS } from '../../src/config/secret-files.ts'
import { settings } from '../../src/config/settings.ts'
import { STOP_MS_MAX } from '../../src/process/signals.ts'

export const root = path.join(import.meta.dirname, '..', '..')
export const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

// Files of other programs are read like by these: without types.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Yaml = any

/** The documents of a file; a mistake in its syntax, such as a key that is there twice, fails. */
export function readYaml(file: string): Yaml[] {
  return parseAllDocuments(read(file)).map((document) => {
    assert.deepEqual([...document.errors, ...document.warnings], [], file)
    return document.toJS()
  })
}

/** Variables of Node itself. */
const OF_NODE = ['NODE_COMPILE_CACHE', 'NODE_OPTIONS']

export function assertSettingsExist(names: string[]): void {
  const known = [...Object.keys(settings.shape), ...SECRET_SETTINGS.map((name) => `${name}_FILE`), ...OF_NODE]
  assert.deepEqual(
    names.filter((name) => !known.includes(name)),
    [],
  )
}

export const SECRET = 'q7Lz2WvN4xCk8RmTd1YhPs6GbFu3JoEa9QiZtVwX'

/** What the service makes of these settings, all of which have to be right. */
export function productionConfig(environment: Record<string, string>): Config {
  assertSettingsExist(Object.keys(environment))
  const config = readConfig(environment)
  assert.equal(config.production, true)
  return config
}

/** A stop within these seconds is never cut. */
export const stopSecondsMax = ({ shutdownDrainMs }: Pick<Config, 'shutdownDrainMs'>) =>
  (shutdownDrainMs + STOP_MS_MAX) / 1000

/** Such as `90s` or `2m`. */
export function secondsOf(duration: string): number {
  const [, count, unit] = /^(\d+)(s|m)$/.exec(duration) ?? []
  assert.ok(unit, duration)
  return Number(count) * (unit === 'm' ? 60 : 1)
}

export interface Image {
  env: Record<string, string>
  command: string[]
  healthCheck: { options: string; command: string[] }
  user: string
  stopSignal: string
  port: number
  /** Of all stages. */
  baseImages: string[]
  run: string[]
}

export function readImage(): Image {
  const instructions = instructionsOf(read('Dockerfile'))
  const stages = instructions.flatMap(({ name }, index) => (name === 'FROM' ? [index] : []))
  const last = instructions.slice(stages.at(-1))
  const values = (name: string, from = last) => from.filter((each) => each.name === name).map(({ value }) => value)
  const only = (name: string) => {
    assert.equal(values(name).length, 1, name)
    return values(name)[0] as string
  }
  const [, options = '', check = ''] = /^(.*)\bCMD (.*)$/.exec(only('HEALTHCHECK')) ?? []
  return {
    env: Object.fromEntries(values('ENV').flatMap((pairs) => pairs.split(/\s+/).map((pair) => pair.split(/=(.*)/)))),
    command: JSON.parse(only('CMD')),
    healthCheck: { options, command: JSON.parse(check) },
    user: only('USER'),
    stopSignal: only('STOPSIGNAL'),
    port: Number(only('EXPOSE')),
    baseImages: values('FROM', instructions).map((value) => value.split(' ')[0] as string),
    run: values('RUN', instructions),
  }
}

function instructionsOf(dockerfile: string): { name: string; value: string }[] {
  return dockerfile
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ name: line.split(' ')[0] as string, value: line.slice(line.indexOf(' ') + 1).trim() }))
}

/** The files that a build gets, by `.dockerignore`, in which the last matching line counts. */
export function filesOfBuild(): string[] {
  const lines = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const given = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const refused = lines.filter((line) => !line.startsWith('!') && line !== '*')
  for (const file of given) assert.ok(existsSync(path.join(root, file)), file)
  return given
    .flatMap((file) => globSync([file, `${file}/**/*.*`], { cwd: root }))
    .filter((file) => !refused.some((pattern) => path.matchesGlob(file, pattern)))
}
