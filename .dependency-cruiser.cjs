/** Who may import whom; docs/architecture.md says why. Tests and their helpers may import everything. */
const test = '\\.test\\.ts$'

/** Features in their order: each may import the ones after it, never the ones before it. */
const features = [
  'housekeeping',
  'console',
  'pages',
  'nodes',
  'invitations',
  'auth',
  'companies',
  'roles',
  'domains',
  'members',
  'ownership',
  'branches',
  'accounts',
  'mail',
  'audit',
]

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'only-http-and-routes-know-the-web-framework',
      severity: 'error',
      from: {
        path: '^src',
        pathNot: `^src/(http/|app\\.ts|process/start\\.ts|features/.+routes\\.ts)|${test}`,
      },
      to: { path: 'node_modules/(fastify|@fastify)/' },
    },
    {
      name: 'rules-do-not-know-the-web',
      severity: 'error',
      from: { path: '^src/(features|access)', pathNot: `routes\\.ts$|${test}` },
      // What a rule returns for the client to save as a file.
      to: { path: '^src/http/', pathNot: '^src/http/downloads\\.ts$' },
    },
    {
      name: 'lib-is-pure',
      severity: 'error',
      from: { path: '^src/lib', pathNot: test },
      to: { path: '^src/(?!lib/|problems\\.ts)|node_modules/(pg|kysely|fastify)/' },
    },
    {
      name: 'only-the-database-folder-knows-the-driver',
      severity: 'error',
      from: { path: '^src', pathNot: `^src/(database|cli/seed)/|${test}` },
      to: { path: 'node_modules/pg/' },
    },
    {
      name: 'database-is-below',
      severity: 'error',
      from: { path: '^src/database', pathNot: test },
      to: { path: '^src/(features|http|access)/' },
    },
    {
      name: 'only-the-tracing-folder-knows-opentelemetry',
      severity: 'error',
      from: { path: '^src', pathNot: `^src/tracing/|${test}` },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'tracing-is-below',
      severity: 'error',
      from: { path: '^src/tracing/', pathNot: test },
      to: { path: '^src/(features|http|access|database)/' },
    },
    {
      name: 'metrics-read-and-are-not-known',
      severity: 'error',
      from: { path: '^src', pathNot: `^src/(metrics|process)/|${test}` },
      to: { path: '^src/metrics/' },
    },
    {
      name: 'http-stands-beside-the-features',
      severity: 'error',
      from: { path: '^src/http/', pathNot: test },
      to: { path: '^src/features/' },
    },
    {
      name: 'access-is-below-the-features',
      severity: 'error',
      from: { path: '^src/access/', pathNot: test },
      to: { path: '^src/(features|http)/' },
    },
    ...features.map((feature, index) => ({
      name: `features-above-are-not-imported-by-${feature}`,
      severity: 'error',
      from: { path: `^src/features/${feature}/`, pathNot: test },
      to: { path: `^src/features/(${features.slice(0, index).join('|') || '-'})/` },
    })),
    {
      name: 'source-does-not-need-tests',
      severity: 'error',
      from: { path: '^src', pathNot: test },
      to: { path: '^(test|fuzz)/' },
    },
    {
      name: 'the-client-stands-alone',
      severity: 'error',
      from: { path: '^clients/typescript/src/' },
      to: { pathNot: '^clients/typescript/src/|node_modules/(openapi-fetch|react|@types/react|jose)/' },
    },
    {
      name: 'only-the-entries-for-them-know-react-and-jose',
      severity: 'error',
      from: { path: '^clients/typescript/src/', pathNot: '/(react|server)\\.ts$' },
      to: { path: 'node_modules/(react|@types/react|jose)/' },
    },
    {
      name: 'the-service-does-not-know-the-client',
      severity: 'error',
      from: { path: '^src' },
      to: { path: '^clients/|node_modules/@tenantry/' },
    },
    {
      name: 'an-example-knows-only-the-client',
      severity: 'error',
      from: { path: '^examples/[^/]+/src/' },
      to: {
        pathNot:
          '^examples/|^clients/typescript/src/(index|react)\\.ts$|node_modules/(react|react-dom|@types/react|@types/react-dom)/',
      },
    },
    {
      name: 'no-unlisted-packages',
      severity: 'error',
      // The peer has packages of its own, which are installed for a comparison only.
      from: { pathNot: '^bench/servers/better-auth' },
      to: { couldNotResolve: true, pathNot: '^uuid$' },
    },
    {
      name: 'no-development-packages-in-source',
      severity: 'error',
      from: { path: '^src', pathNot: test },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // They import what only their test generates.
    exclude: { path: '^test/generators/.+/' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
}
