/** Who may import whom; docs/architecture.md says why. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, dependencyTypesNot: ['type-only'] } },
    {
      name: 'only-http-and-routes-know-the-web-framework',
      severity: 'error',
      from: { path: '^src', pathNot: '^src/(http/|app\\.ts|start\\.ts|features/[^/]+/routes\\.ts)|\\.test\\.ts$' },
      to: { path: 'node_modules/(fastify|@fastify)/' },
    },
    {
      name: 'rules-do-not-know-the-web',
      severity: 'error',
      from: { path: '^src/features', pathNot: 'routes\\.ts$|\\.test\\.ts$' },
      // What a rule gives back: a page of a list, a download.
      to: { path: '^src/http/', pathNot: '^src/http/(paging|downloads)\\.ts$' },
    },
    {
      name: 'lib-is-pure',
      severity: 'error',
      from: { path: '^src/lib', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/(?!lib/|problems\\.ts)|node_modules/(pg|kysely|fastify)/' },
    },
    {
      name: 'only-the-database-folder-knows-the-driver',
      severity: 'error',
      from: { path: '^src', pathNot: '^src/database/|\\.test\\.ts$' },
      to: { path: 'node_modules/pg/' },
    },
    {
      name: 'database-is-below',
      severity: 'error',
      from: { path: '^src/database' },
      to: { path: '^src/(features|http)/' },
    },
    {
      name: 'http-stands-beside-the-features',
      severity: 'error',
      from: { path: '^src/http/', pathNot: '\\.test\\.ts$|/testing\\.ts$' },
      to: { path: '^src/features/' },
    },
    {
      name: 'source-does-not-need-tests',
      severity: 'error',
      from: { path: '^src', pathNot: '\\.test\\.ts$|/testing\\.ts$' },
      to: { path: '^(test|fuzz)/' },
    },
    { name: 'no-unlisted-packages', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^uuid$' } },
    {
      name: 'no-development-packages-in-source',
      severity: 'error',
      from: { path: '^src', pathNot: '\\.test\\.ts$|/testing\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.json'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
}
