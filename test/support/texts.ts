import { randomInt } from 'node:crypto'

const PIECES = [
  ...[
    '"',
    '\\',
    '/',
    '\b',
    '\f',
    '\n',
    '\r',
    '\t',
    '\u0001',
    '\u001f',
    '\u007f',
    '\u0085',
    '\u2028',
    '\u2029',
    '\ufeff',
  ],
  ...[
    '\\u0041',
    '\\"',
    '</script>',
    '{"a":1}',
    '[1, 2]',
    'null',
    ' ',
    ', ',
    ': ',
    'é',
    'e\u0301',
    'ß',
    '汉',
    '😀',
    '\uffff',
  ],
]

/** A text of characters that formats escape, or that readers take for their own. It has no NUL, which PostgreSQL can't store. */
export const anyText = (): string =>
  Array.from({ length: randomInt(12) }, () => PIECES[randomInt(PIECES.length)]).join('')
