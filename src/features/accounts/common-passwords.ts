/**
 * Passwords that satisfy the policy and are guessed first, in lower case: the words, names and keyboard patterns at the
 * top of every published list, with the digits that people add to pass a policy.
 */
const stems =
  'password passw0rd p4ssword p@ssword p@ssw0rd pa55word qwerty qwertyui qwertyuiop azerty asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx ' +
  'welcome w3lcome admin administrator letmein monkey dragon football baseball basketball superman batman master shadow ' +
  'sunshine princess iloveyou michael jessica jordan charlie daniel ashley thomas hunter killer pepper summer winter spring ' +
  'autumn monday friday january december liverpool arsenal chelsea pokemon starwars computer internet samsung google company ' +
  'secret changeme default temporal contraseña contrasena senha bienvenido teste testing test abcd abcdef abcdefg abc aa'
const endings = [
  ...[
    '1',
    '2',
    '12',
    '123',
    '1234',
    '12345',
    '123456',
    '1234567',
    '12345678',
    '123456789',
    '01',
    '11',
    '21',
    '69',
    '99',
  ],
  ...[
    '1!',
    '12!',
    '123!',
    '1234!',
    '@1',
    '@12',
    '@123',
    '@1234',
    '#1',
    '#123',
    '.1',
    '.123',
    '_1',
    '_123',
    '!1',
    '!123',
    '1@',
    '123@',
  ],
  ...Array.from({ length: 31 }, (_, age) => String(2000 + age)),
  ...Array.from({ length: 31 }, (_, age) => `${2000 + age}!`),
  ...Array.from({ length: 31 }, (_, age) => `@${2000 + age}`),
]
const others = [
  '1q2w3e4r',
  '1q2w3e4r5t',
  '1qaz2wsx',
  '1qaz2wsx3edc',
  'zaq12wsx',
  'q1w2e3r4',
  'a1b2c3d4',
  '1qazxsw2',
  'qwe123456',
  '123qweasd',
  'abc123456',
  'q1w2e3r4t5',
]

export const commonPasswords: ReadonlySet<string> = new Set([
  ...stems.split(' ').flatMap((stem) => endings.map((ending) => stem + ending)),
  ...others,
])
