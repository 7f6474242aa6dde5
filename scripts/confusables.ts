import { readFileSync, writeFileSync } from 'node:fs'

// Writes src/lib/confusables.txt, the part of Unicode's table of confusable characters (UTS 39) that
// src/lib/confusables.ts needs. Run it for a new version of Unicode, when Node has it (`node -p
// process.versions.unicode`): node scripts/confusables.ts confusables.txt LICENSE Both files are at
// https://www.unicode.org (Public/<version>/security/confusables.txt, license.txt), and in the sources of ICU, of which
// Debian has a package: `apt-get source --download-only icu`, icu/source/data/unidata/confusables.txt and icu/LICENSE.

const [, , table, license] = process.argv
if (!table || !license) {
  console.error('Two files are required: node scripts/confusables.ts confusables.txt LICENSE')
  process.exit(2)
}

const text = readFileSync(table, 'utf8')
const version = /^# Version: (\S+)$/m.exec(text)?.[1]
// Rows of the table, such as `043E ;	006F ;	MA	# …`: a character, then the one or more that it looks like.
const rows = [...text.matchAll(/^([0-9A-F]+) ;\t([0-9A-F ]+) ;\tMA\t/gm)]
if (!version || rows.length < 6000) throw new Error(`${table} is not Unicode's table of confusables`)

const sourcesOf = Map.groupBy(rows, ([, , prototype = '']) => shortened(prototype))
const lines = [...sourcesOf].map(
  ([prototype, sources]) => `${prototype}=${sources.map(([, source = '']) => shortened(source)).join(' ')}`,
)
writeFileSync(
  new URL('../src/lib/confusables.txt', import.meta.url),
  `# Confusable characters (UTS 39), Unicode ${version}: <prototype>=<characters that are taken for it>, in hexadecimal.
# Made by scripts/confusables.ts from https://www.unicode.org/Public/${version}/security/confusables.txt, whose terms are:
#
${permissionNotice(readFileSync(license, 'utf8'))}
${lines.sort().join('\n')}
`,
)

function shortened(codePoints: string): string {
  return codePoints.replace(/\b0+/g, '')
}

function permissionNotice(text: string): string {
  const notice = /UNICODE LICENSE V3.*?(?=SPDX-License-Identifier|$)/s.exec(text)?.[0]
  if (!notice) throw new Error(`${license} is not the license of Unicode's data files`)
  return notice
    .trim()
    .split('\n')
    .map((line) => `# ${line}`.trimEnd())
    .join('\n')
}
