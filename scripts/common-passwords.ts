import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

// Writes src/features/accounts/common-passwords.bin: hashes of the list of zxcvbn, whose license is MIT (© Dan Wheeler,
// Dropbox, and the authors of zxcvbn-ts), and of words that it lacks: alphabets, and words of other languages. Run it for a
// new version of the package. With --check it fails when the file is not what it would write.

const FILE = new URL('../src/features/accounts/common-passwords.bin', import.meta.url)
const LIST = new URL('../node_modules/@zxcvbn-ts/language-common/src/passwords.json', import.meta.url)
/** As in src/features/accounts/common-passwords.ts. */
const HASH_BYTES = 5

const others =
  'p4ssword pa55word qwertyui administrator january december spring autumn company changeme default temporal ' +
  'contraseña contrasena clave senha bienvenido bienvenidos bemvindo teste testing abc w3lcome primavera verano otoño ' +
  'invierno outono inverno verão enero febrero marzo lunes viernes segunda sexta usuario prueba empresa barcelona ' +
  'realmadrid benfica flamengo corinthians palmeiras teamo teamomucho tequiero mariposa princesa estrella ' +
  'abcd abcde abcdef abcdefg abcdefgh abcdefghi abcdefghij abc123456 123qweasd qwe123456'

const list = JSON.parse(readFileSync(LIST, 'utf8')) as string[]
if (list.length < 40_000) throw new Error(`${LIST} is not the list of zxcvbn`)
const words = new Set([...list.map(String), ...others.split(' ')].map((word) => word.toLowerCase()))
const hashes = [...words].map((word) => hash('sha256', word, 'buffer').subarray(0, HASH_BYTES))
const made = Buffer.concat(hashes.sort(Buffer.compare))

if (!process.argv.includes('--check')) writeFileSync(FILE, made)
else if (!made.equals(readFileSync(FILE))) {
  console.error('src/features/accounts/common-passwords.bin is out of date: node scripts/common-passwords.ts')
  process.exitCode = 1
}
