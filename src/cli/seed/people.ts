import { folded } from '../../lib/text.ts'

// People made by the database itself: each number gives a name, an address and an id. First and last names are common
// words, each in about 3 % of all names; the second last name is rare, in one of 50,000.

const firstNames =
  'Ana María José João Zoë Chloé Łukasz Søren Björn Jürgen Noël Renée Inês Íñigo Åsa Ömer Élodie Günther Bob Carla Dieter Eva Finn Greta Hugo Ida Jan Karl Lena Mia'
const lastNames =
  'García Müller Núñez Gonçalves Sørensen Kowalski Brontë Dvořák Ångström Rossi Smith Jones Weber Silva Santos Pérez Dubois Lefèvre Nowak Horvat Novák Berg Lund Holm Stone Wood Field Hill Marsh Rivers'
const onsets = 'B Br C Cal D Dor F Fal G Gran H Hol K L Lor M Mon N Nor P Pal R Ros S Sal T Tor V Val'
const middles = 'a ade ali ami ane ara e ela eni era esi i ida ile ina ira o olo omi ona ori u uli una ura'
const endings = 'bach berg by court dal den des dine feld ford gard grove heim holt hurst kamp land ley lin low'
const suffixes = 'a e i o son er en as is us'

const lists = [firstNames, lastNames, onsets, middles, endings, suffixes].map((words) => words.split(' '))

/** A random whole number from 0 to `count` - 1, the same for the same number and seed. `number` is a SQL expression. */
export const randomBelow = (count: number, number: string, seed: number): string =>
  `(hashint8extended(${number}, ${seed}) & 2147483647)::int % ${count}`

/** An element of a SQL array of these words. */
function pick(words: string[], seed: number): string {
  const array = words.map((word) => `'${word}'`).join(',')
  return `(array[${array}])[1 + ${randomBelow(words.length, 'n', seed)}]`
}

const [first, last, ...parts] = lists.map((words, index) => pick(words, index + 1)) as [string, string, ...string[]]
const [firstFolded, lastFolded] = [0, 1].map((index) => pick((lists[index] as string[]).map(folded), index + 1))
const second = parts.join(' || ')

/**
 * A SQL query for the people with the numbers `from` to `to`: n, id, name, name_folded, email. Ids are UUIDs of version 7
 * that sort like the numbers. `seed` makes others of the same numbers.
 */
export const peopleFrom = (from: number, to: number, seed: number): string => `
  select n, ${idOf('n', seed)} as id,
    ${first} || ' ' || ${last} || ' ' || ${second} as name,
    ${firstFolded} || ' ' || ${lastFolded} || ' ' || lower(${second}) as name_folded,
    ${firstFolded} || '.' || ${lastFolded} || '.' || to_hex(${seed % 1_000_000} * 1000000::bigint + n)
      || '@example.test' as email
  from generate_series(${from}, ${to}) as n`

/** 2026-01-01: the moment of the first id; each further one is a millisecond later. */
const FIRST_MS = Date.UTC(2026, 0, 1)

/** A SQL expression for an id that belongs to a number and a seed. */
export const idOf = (number: string, seed: number): string => `(
  lpad(to_hex(${FIRST_MS} + (${number})::bigint), 12, '0') || '7' || substr(${hashOf(number, seed)}, 1, 3)
  || '800' || substr(${hashOf(number, seed)}, 4, 13))::uuid`

const hashOf = (number: string, seed: number) => `lpad(to_hex(hashint8extended(${number}, ${seed})), 16, '0')`
