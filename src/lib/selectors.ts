// Characters that are not shown themselves but change how the one before them is, where a language or an emoji needs them.
// Anywhere else they only make two texts different that look the same.

// Scripts whose letters join as in handwriting. RFC 5892 asks whether the very letters beside a non-joiner would join; here
// all letters of these scripts do, because Persian is commonly written with one behind letters that never join.
const CURSIVE =
  'Arabic Syriac Mongolian Nko Mandaic Manichaean Psalter_Pahlavi Phags_Pa Hanifi_Rohingya Sogdian Adlam Chorasmian Old_Uyghur'
    .split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('')

const ALLOWED = new RegExp(
  [
    // Between letters that would join (RFC 5892, appendix A.1).
    `(?<=[${CURSIVE}]\\p{M}*)\\u200c(?=\\p{M}*[${CURSIVE}])`,
    // Between the emoji of one picture, such as a family.
    '(?<=\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\ufe0f?)\\u200d(?=\\p{Extended_Pictographic})',
    // Behind what is shown as text or as emoji; behind a digit only in a keycap.
    '(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]',
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    // Which form of an ideograph, as Japanese names have it, or of a Mongolian letter.
    '(?<=\\p{Script=Han})[\\u{e0100}-\\u{e01ef}]',
    '(?<=\\p{Script=Mongolian})[\\u180b-\\u180d\\u180f]',
  ].join('|'),
  'gu',
)

/** The text without those of such characters that may stand where they stand. */
export function withoutSelectors(text: string): string {
  return text.replace(/(.)[\u200c\u200d]/gsu, (pair, before) => (isVirama(before) ? before : pair)).replace(ALLOWED, '')
}

/**
 * The sign that joins two consonants of an Indic script: behind it a joiner or non-joiner tells how (RFC 5892, appendices
 * A.1 and A.2). It is what has the combining class 9, and normalizing shows the class: it puts marks in the order of
 * theirs, those of class 8 before and those of class 10 behind it.
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
