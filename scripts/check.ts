import { spawnSync } from 'node:child_process'

// Runs all checks that need no running service, and prints every failure.
const checks: [string, string[]][] = [
  ['format and lint', ['biome', 'check', '--error-on-warnings', '.']],
  ['types', ['tsc', '--noEmit']],
  ['types of the console', ['tsc', '--noEmit', '-p', 'console']],
  ['types of the example', ['tsc', '--noEmit', '-p', 'examples/react']],
  ['types of the client', ['tsc', '--project', 'clients/typescript']],
  ['types of its tests and examples', ['tsc', '--project', 'clients/typescript/tsconfig.test.json']],
  [
    'import rules',
    [
      'depcruise',
      '--config',
      '.dependency-cruiser.cjs',
      'src',
      'test',
      'scripts',
      'fuzz',
      'clients',
      'examples',
      'console/src',
      'bench',
    ],
  ],
  ['unused code', ['knip']],
  ['lock files', ['node', 'scripts/lock.ts', '--check']],
  ['generated files', ['node', 'scripts/openapi.ts', '--check']],
  ['common passwords', ['node', 'scripts/common-passwords.ts', '--check']],
  ['types of the document', ['node', 'scripts/client-types.ts', '--check']],
  ['rights of the database roles', ['node', 'scripts/rights.ts', '--check']],
  ['OpenAPI document, by Redocly', ['redocly', 'lint', '--max-problems', '20', 'docs/openapi.json']],
  ['OpenAPI document, by Spectral', ['spectral', 'lint', '--quiet', '--fail-severity', 'hint', 'docs/openapi.json']],
]

// The linters of the OpenAPI document make no network requests.
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

for (const [name, [program = '', ...args]] of checks) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', env })
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'}  ${name}`)
  if (status === 0) continue
  console.log(error?.message ?? stdout + stderr)
  process.exitCode = 1
}
