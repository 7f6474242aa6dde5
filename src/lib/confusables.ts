import { readFileSync } from 'node:fs'
import path from 'node:path'
import { folded } from './text.ts'

/**
 * For each confusable character, the characters that it looks like (Unicode Technical Standard 39, `confusables.txt`).
 */
const prototypes = readPrototypes()

/**
 * A key that is equal for two names that look alike: the skeleton of Unicode Technical Standard 39, section 4, without
 * letter case and accents. Some characters look like a letter in one case only (0 like O, but not like o), and folding
 * gives new confusable characters (О, a Cyrillic letter, becomes о), so both steps repeat until nothing changes.
 */
export function lookalike(text: string): string {
  const next = folded(skeleton(text))
  return next === text ? text : lookalike(next)
}

function skeleton(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return [...plain]
    .map((character) => prototypes.get(character) ?? character)
    .join('')
    .normalize('NFD')
}

function readPrototypes(): Map<string, string> {
  const lines = readFileSync(path.join(import.meta.dirname, 'confusables.txt'), 'utf8').split('\n')
  return new Map(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line) => {
        const [prototype = '', characters = ''] = line.split('=')
        return characters.split(' ').map((character) => [fromHex(character), fromHex(prototype)] as const)
      }),
  )
}

function fromHex(codePoints: string): string {
  return String.fromCodePoint(...codePoints.split(' ').map((codePoint) => Number.parseInt(codePoint, 16)))
}
