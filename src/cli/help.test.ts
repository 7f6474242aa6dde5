import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import type { Command } from '@commander-js/extra-typings'
import { commandLineWith } from '../../test/support/command-line.ts'
import { VERSION } from '../lib/version.ts'
import { startProgress } from './output.ts'
import { commandsIn, createProgram } from './program.ts'

const root = path.join(import.meta.dirname, '..', '..')
const page = readFileSync(path.join(root, 'docs/operations.md'), 'utf8')
const chapter = page.slice(page.indexOf('## Command line'), page.indexOf('## systemd'))

/** Options that the page explains once. */
const COMMON = ['--json', '--as', '--reason', '--no-email']
const leaves = commandsIn(createProgram()).filter(({ commands }) => commands.length === 0)
const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent as Command)} ${command.name()}` : command.name()
const usageOf = (command: Command) => `${nameOf(command)} ${command.usage()}`.replace('[options] ', '')
const rows = leaves.map((command) => {
  const own = command.options.map(({ long }) => long).filter((long) => !COMMON.includes(long ?? ''))
  const options = own.length > 0 ? ` Options: ${own.map((long) => `\`${long}\``).join(', ')}.` : ''
  const usage = usageOf(command).replace('[options]', '').trim()
  return `| \`${usage}\` | ${command.description()}.${options} |`
})

const run = commandLineWith({ NODE_ENV: 'test' })

describe('the page on operations', () => {
  it('lists every command with its arguments, options and description, as the help does', () => {
    const listed = chapter
      .split('\n')
      .filter((line) => line.startsWith('| `tenantry '))
      .map((line) => line.replace(/ +/g, ' '))
    assert.deepEqual(listed, rows)
    assert.ok(listed.length >= 16)
  })

  it('explains the options that many commands have', () => {
    for (const option of COMMON) assert.match(chapter, new RegExp(`^- \`${option}\\b|; \`${option} `, 'm'), option)
  })
})

describe('every command', () => {
  it('has help, and JSON for programs', () => {
    for (const command of leaves) {
      assert.match(command.description(), /^[a-z][^.]+$/, nameOf(command))
      assert.match(command.helpInformation(), /^Usage: tenantry /)
      if (command.name() !== 'serve')
        assert.ok(
          command.options.some(({ long }) => long === '--json'),
          nameOf(command),
        )
    }
  })

  it('refuses a wrong option in one line, with 2', async () => {
    for (const command of leaves) {
      const words = nameOf(command).split(' ').slice(1)
      const { exitCode, stdout, stderr } = await run(...words, '--nonsense')
      assert.deepEqual([exitCode, stdout], [2, ''], nameOf(command))
      assert.match(stderr, /^error: [^\n]+ \(see --help\)\n$/, nameOf(command))
    }
  })

  it('tells programs what is wrong with the usage in JSON', async () => {
    for (const words of ['company list --limit x', 'company suspend', 'companies', 'user find a b', 'mail retry']) {
      const { exitCode, stdout, stderr } = await run(...words.split(' '), '--json')
      assert.deepEqual([exitCode, stdout, JSON.parse(stderr).error.code], [2, '', 'usage'], words)
      assert.match(JSON.parse(stderr).error.message, /^[^\n]+$/, words)
    }
  })
})

describe('the installed command', () => {
  const tenantry = (...args: string[]) =>
    spawnSync(path.join(root, 'scripts/tenantry.mjs'), args, {
      encoding: 'utf8',
      env: { PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` },
    })

  it('runs from its file, prints its version, and 2 for what it does not know', () => {
    const { status, stdout, stderr } = tenantry('--version')
    assert.deepEqual([status, stdout, stderr], [0, `${VERSION}\n`, ''])
    const help = tenantry('--help')
    assert.equal(help.status, 0)
    for (const group of createProgram().commands) assert.match(help.stdout, new RegExp(`^  ${group.name()} `, 'm'))
    assert.equal(tenantry('help', 'user').status, 0)
    assert.deepEqual([tenantry('users').status, tenantry().status, tenantry('user').status], [2, 2, 2])
  })
})

describe('a progress bar', () => {
  const written = (isTTY: boolean): string => {
    let text = ''
    const stream = { isTTY, write: (part: string) => (text += part) } as unknown as NodeJS.WriteStream
    const progress = startProgress('verifying', stream)
    progress.update(500, 1000)
    progress.end()
    return text
  }

  it('is drawn on a terminal, and nowhere else', () => {
    assert.match(written(true), /^\rverifying {2}█{15}░{15} {2}500 of 1,000/)
    assert.equal(written(false), '')
  })
})
