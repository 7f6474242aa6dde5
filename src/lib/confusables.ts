import { readFileSync } from 'node:fs'
import path from 'node:path'
import { folded } from './text.ts'

/** The character, or characters, that a character is taken for (Unicode Technical Standard 39, `confusables.txt`). */
const prototypes = readPrototypes()

/**
 * What makes two names look alike: the skeleton of Unicode Technical Standard 39, section 4, without letter case and accents.
 * Some characters look like a letter in one case alone (0 like O, but not like o), and folding may give new ones (О, a
 * Cyrillic letter, becomes о), so both are done again until nothing changes.
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
