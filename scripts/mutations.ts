import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Fix, fixes } from './mutations/fixes.ts'
import { rules, type TestedRule } from './mutations/rules.ts'

// Removes fixes and rules one by one, each in a copy of the source, and checks that the stories fail without a fix, and the tests
// that a rule names without it.
//   npm run mutations                             all of them, and first the unchanged source, which the stories must pass
//   npm run mutations -- --rules                  rules alone, which take seconds each
//   npm run mutations -- --seconds 300 --only word

const COPIED = ['src', 'migrations', 'test', 'fuzz', 'scripts', 'package.json', 'tsconfig.json']
const options = {
  seconds: { type: 'string', default: '180' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string' },
  rules: { type: 'boolean', default: false },
} as const

const { seconds, seed, only, rules: onlyRules } = parseArgs({ options }).values
const all: (Fix | TestedRule)[] = onlyRules ? rules : [...fixes, ...rules]
const chosen = all.filter(({ without }) => only === undefined || without.includes(only))
const nothing: Fix = { without: 'no fix is removed', edits: [] }
if (only === undefined && !onlyRules) report(nothing, await runWithout(nothing), 'passes')
for (const fix of chosen) report(fix, await runWithout(fix), 'found')
if (chosen.length === 0) fail('no fix matches --only')

type Verdict = { is: 'found' | 'passes' | 'broken'; output: string }

function report({ without }: Fix, { is, output }: Verdict, wanted: Verdict['is']): void {
  console.log(`${is === wanted ? 'ok    ' : 'FAILED'}  ${without}: ${is}\n${output}`)
  if (is !== wanted) process.exitCode = 1
}

function fail(reason: string): void {
  console.error(reason)
  process.exitCode = 1
}

async function runWithout({ edits, ...how }: Fix | TestedRule): Promise<Verdict> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-mutation-'))
  try {
    for (const name of COPIED) cpSync(name, path.join(folder, name), { recursive: true })
    symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'))
    for (const edit of edits) {
      const file = path.join(folder, edit.file)
      const text = readFileSync(file, 'utf8')
      if (text.split(edit.find).length !== 2)
        return { is: 'broken', output: `does not occur exactly once in ${edit.file}: ${edit.find}` }
      writeFileSync(
        file,
        text.replace(edit.find, () => edit.replacement),
      )
    }
    return await ('tests' in how ? runTestsIn(folder, how.tests) : runStoriesIn(folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs the stories of the copied source in a new process. */
async function runStoriesIn(folder: string): Promise<Verdict> {
  const storyArgs = ['--stories', '--seconds', seconds, '--seed', seed, '--findings', '1']
  const { status, output } = await runIn(folder, ['fuzz/main.ts', ...storyArgs])
  if (status === 0) return { is: 'passes', output: '' }
  const [story] = /^FOUND[\s\S]*?again:.*$/m.exec(output) ?? []
  return story ? { is: 'found', output: story } : { is: 'broken', output }
}

/** An assertion has to fail: a source that does not start finds nothing. */
async function runTestsIn(folder: string, files: string[]): Promise<Verdict> {
  const { status, output } = await runIn(folder, ['scripts/test.ts', '--embedded', ...files])
  if (status === 0) return { is: 'passes', output: '' }
  const failures = output.match(/ {2}FAILED {2}.*/g) ?? []
  const isFound = failures.length > 0 && /AssertionError/.test(output)
  return isFound ? { is: 'found', output: failures.join('\n') } : { is: 'broken', output }
}

/** In a new process, in the copy. */
async function runIn(folder: string, script: string[]): Promise<{ status: unknown; output: string }> {
  const args = ['--import', './scripts/boot.mjs', ...script]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  return { status: await new Promise((resolve) => child.once('close', resolve)), output }
}
