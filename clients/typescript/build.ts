import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

// Builds the package that is published: `npm run build` and then `npm publish ./dist`. In the workspace the source itself
// is the package, so that nothing has to be built before it is used. Another folder than `dist` can be named.
const here = import.meta.dirname
const root = path.join(here, '../..')
const out = path.resolve(process.argv[2] ?? path.join(here, 'dist'))

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const project = path.join(here, 'tsconfig.build.json')
execFileSync(path.join(root, 'node_modules/.bin/tsc'), ['--project', project, '--outDir', out], { stdio: 'inherit' })
// The compiler rewrites the extensions of imports in JavaScript only.
for (const file of globSync(`${out}/*.d.ts`))
  writeFileSync(file, readFileSync(file, 'utf8').replace(/(from |import\()(['"]\.\/\w+)\.ts(?=['"])/g, '$1$2.js'))

const {
  exports,
  devDependencies,
  scripts,
  private: _,
  ...manifest
} = JSON.parse(readFileSync(path.join(here, 'package.json'), 'utf8'))
const built = Object.entries<string>(exports).map(([name, source]) => {
  const file = source.replace('./src/', './').replace(/\.ts$/, '')
  return [name, { types: `${file}.d.ts`, default: `${file}.js` }]
})
writeFileSync(
  path.join(out, 'package.json'),
  `${JSON.stringify({ ...manifest, exports: Object.fromEntries(built) }, null, 2)}\n`,
)
copyFileSync(path.join(here, 'README.md'), path.join(out, 'README.md'))
copyFileSync(path.join(root, 'LICENSE'), path.join(out, 'LICENSE'))
