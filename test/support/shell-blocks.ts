import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'

const root = path.join(import.meta.dirname, '..', '..')

interface Options {
  /** Where the service listens that the blocks call. */
  address: string
  /** Where the blocks may write. */
  folder: string
  /** The checkout that has the document, if not this one. */
  checkout?: string
}

/** The code blocks of a language in a document. */
export function blocksOf(document: string, language: string, checkout = root): string[] {
  const page = readFileSync(path.join(checkout, document), 'utf8')
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block)
}

/** The responses to a document's shell blocks, run in one shell without those that start the service. */
export async function paste(
  document: string,
  { address, folder, checkout }: Options,
): Promise<{ success?: boolean; code?: string }[]> {
  const script = blocksOf(document, 'sh', checkout)
    .filter((block) => !block.startsWith('npm '))
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', address)
  const shell = spawn('bash', ['--norc', '-eu', '-o', 'pipefail', '-c', script], {
    env: { ...process.env, TMPDIR: folder },
  })
  const [output, errors] = await Promise.all([text(shell.stdout), text(shell.stderr)])
  assert.equal(errors, '')
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** The codes of the refusals that a document tells of, such as: 409 `already_member`. */
export function refusalsIn(document: string, checkout = root): string[] {
  const page = readFileSync(path.join(checkout, document), 'utf8')
  return [...page.matchAll(/4\d\d `([a-z_]+)`/g)].map(([, code = '']) => code)
}
