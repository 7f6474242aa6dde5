// Invisible characters that change how the character before them is shown. Some languages and emoji need them; anywhere
// else they make two texts differ that look the same.

// Scripts whose letters join as in handwriting. RFC 5892 allows a non-joiner only between letters that would join. Here
// it is allowed between all letters of these scripts, because Persian commonly has one after letters that never join.
const CURSIVE =
  'Arabic Syriac Mongolian Nko Mandaic Manichaean Psalter_Pahlavi Phags_Pa Hanifi_Rohingya Sogdian Adlam Chorasmian Old_Uyghur'
    .split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('')

const ALLOWED = new RegExp(
  [
    // A non-joiner between letters that would join (RFC 5892, appendix A.1).
    `(?<=[${CURSIVE}]\\p{M}*)\\u200c(?=\\p{M}*[${CURSIVE}])`,
    // A joiner between the emoji of one picture, such as a family.
    '(?<=\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\ufe0f?)\\u200d(?=\\p{Extended_Pictographic})',
    // A variation selector that shows a character as text or as emoji; after a digit only in a keycap.
    '(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]',
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    // A selector for the form of an ideograph, as in Japanese names, or of a Mongolian letter.
    '(?<=\\p{Script=Han})[\\u{e0100}-\\u{e01ef}]',
    '(?<=\\p{Script=Mongolian})[\\u180b-\\u180d\\u180f]',
  ].join('|'),
  'gu',
)

/** The text without those selectors and joiners that are allowed where they are. */
export function withoutSelectors(text: string): string {
  return text.replace(/(.)[\u200c\u200d]/gsu, (pair, before) => (isVirama(before) ? before : pair)).replace(ALLOWED, '')
}

/**
 * Whether this is the sign that joins two consonants of an Indic script; a joiner or non-joiner may follow it (RFC
 * 5892, appendices A.1 and A.2). Such a sign has combining class 9. Normalization reveals the class, because it sorts
 * marks by class: a mark of class 8 goes before the sign, a mark of class 10 after it.
 */
function isVirama(character: string): boolean {
  const [voicingOfClass8, shevaOfClass10] = ['\u3099', '\u05b0']
  return (
    character !== voicingOfClass8 &&
    character !== shevaOfClass10 &&
    (character + voicingOfClass8).normalize('NFD') === voicingOfClass8 + character &&
    (shevaOfClass10 + character).normalize('NFD') === character + shevaOfClass10
  )
}
