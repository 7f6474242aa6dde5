import { z } from 'zod'
import { withoutSelectors } from './selectors.ts'

// Control characters (NUL included), halves of surrogate pairs, annotation marks, and what is not shown by itself: marks that
// reverse the order of what is shown, tags, fillers, soft hyphens, zero-width spaces.
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u

// Spaces and blank patterns: nothing to be seen.
const INVISIBLE = /[\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu

// For readers of the documentation and generated clients: what every language's patterns can say. The rest is said in words.
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029'
const ONE_LINE = `[^${CONTROLS}]*`

const isSafe = (text: string) => !UNSAFE.test(withoutSelectors(text))
const trimmed = (text: string) => text.trim().normalize('NFC')

/** Text of a person: trimmed, in Unicode's composed form, on one line, at most `lengthMax` characters. */
export const singleLineText = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax * 4, `must have at most ${lengthMax} characters`)
    .refine(isSafe, 'contains characters that aren’t allowed')
    .transform(trimmed)
    .refine((text) => [...text].length <= lengthMax, `must have at most ${lengthMax} characters`)
    // As it is after trimming, for readers of the documentation.
    .meta({ maxLength: lengthMax, pattern: `^${ONE_LINE}$`, rules: 'No line breaks, no invisible characters.' })

/** Text that can't be left out. */
export const requiredText = (lengthMax: number) =>
  singleLineText(lengthMax)
    .refine((text) => text.replace(INVISIBLE, '') !== '', 'can’t be blank')
    .meta({
      minLength: 1,
      maxLength: lengthMax,
      pattern: `^${ONE_LINE}[^\\s${CONTROLS}]${ONE_LINE}$`,
      rules: 'Not blank, no line breaks, no invisible characters.',
    })

/** Text that `""` or `null` clears; absent means "leave it". */
export const clearableText = (lengthMax: number) =>
  singleLineText(lengthMax)
    .nullable()
    .transform((text) => text ?? '')
    .optional()

/** A secret as it was typed: never trimmed or changed, only bounded. */
export const secretText = (lengthMax: number) =>
  z.string().min(1, 'can’t be blank').max(lengthMax, `must have at most ${lengthMax} characters`)

/** Letters that Unicode does not decompose into a plain letter and a mark. */
const plain: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
}

/**
 * The form of a text for searching, sorting and comparing names: without letter case, accents and invisible characters,
 * and with one plain space for every gap. So `jose` finds `José`.
 */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\s\u2800]+/g, ' ')
    .trim()
    .toLowerCase()
    .replace(/[ßæœøłđðþħı]/g, (letter) => plain[letter] as string)
    .normalize('NFC')
