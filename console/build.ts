import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

// Builds into the folder that is named, with compressed copies of each file beside it.

const [folder = ''] = process.argv.slice(2)
await build({
  root: import.meta.dirname,
  logLevel: 'warn',
  build: { outDir: path.resolve(folder), emptyOutDir: true },
})
const assets = path.join(folder, 'assets')
for (const name of readdirSync(assets).filter((each) => /\.(js|css|svg)$/.test(each))) {
  const file = path.join(assets, name)
  const content = readFileSync(file)
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
}
