import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Of SHA-256: with 49,000 of them, one word in 20 million is taken for another one. */
const HASH_BYTES = 5

/** The shortest word that is looked for behind digits and signs; the others are listed as they are used. */
const WORD_LENGTH_MIN = 3
/** The longest of ENDINGS. */
const ENDING_LENGTH_MAX = 11

/** What people add to a word to pass a policy: a number of up to three digits, a year, a run or a repeated digit. */
const ENDING = /^[!@#$%&*._-]?(\d{1,3}|(19|20)\d\d|12345?6?7?8?9?|(\d)\3+)[!@#$%&*._-]?$/

/** A few characters, again and again. */
const REPEATED = /^(.{1,5})\1+$/u

/** Digits and signs, and what they are written for. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '0': 'o',
  '5': 's',
  $: 's',
}

/**
 * Whether attackers guess it first: one of 49,000 words, names and patterns that lead every published list, in upper or
 * lower case, with lookalike digits, and with a number or a year behind it; or a few characters, repeated.
 */
export function isCommonPassword(password: string): boolean {
  const folded = password.toLowerCase()
  if (REPEATED.test(folded)) return true
  const words = [folded, ...withoutEndings(folded)]
  return words.some(
    (word) => isListed(word) || isListed(word.replace(/[@43105$]/g, (sign) => LOOKALIKES[sign] ?? sign)),
  )
}

function withoutEndings(text: string): string[] {
  const from = Math.max(WORD_LENGTH_MIN, text.length - ENDING_LENGTH_MAX)
  const lengths = Array.from({ length: Math.max(0, text.length - from) }, (_, index) => from + index)
  return lengths.filter((length) => ENDING.test(text.slice(length))).map((length) => text.slice(0, length))
}

let listed: Buffer | undefined

/** The hashes lie in order, one after the other. They are read when the first password is judged. */
function isListed(word: string): boolean {
  listed ??= readFileSync(path.join(import.meta.dirname, 'common-passwords.bin'))
  const wanted = hashOf(word)
  let [low, high] = [0, listed.length / HASH_BYTES]
  while (low < high) {
    const middle = (low + high) >>> 1
    const found = listed.readUIntBE(middle * HASH_BYTES, HASH_BYTES)
    if (found === wanted) return true
    if (found < wanted) low = middle + 1
    else high = middle
  }
  return false
}

const hashOf = (word: string) => hash('sha256', word, 'buffer').readUIntBE(0, HASH_BYTES)
