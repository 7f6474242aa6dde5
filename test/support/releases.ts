import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..', '..')

/** The released versions, the newest last, each with its commit; written by `npm run release`. */
export const releases = Object.entries(
  JSON.parse(readFileSync(path.join(root, 'releases.json'), 'utf8')) as Record<string, string>,
)

/** The source of a release with its dependencies, in a folder of its own. */
export function checkOut(version: string, commit: string): { folder: string; remove(): void } {
  if (spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status !== 0) {
    throw new Error(`This clone lacks ${commit}, the commit of release ${version}: git fetch --unshallow`)
  }
  const folder = mkdtempSync(path.join(tmpdir(), `tenantry-${version}-`))
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  if (hasDependenciesOf(folder)) symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  else execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Whether what is installed here has every package that the release runs with, in its version. */
function hasDependenciesOf(folder: string): boolean {
  const here = packagesOf(root)
  return Object.entries(packagesOf(folder)).every(([name, { version, dev }]) => dev || here[name]?.version === version)
}

const packagesOf = (folder: string): Record<string, { version?: string; dev?: boolean }> => {
  const { '': _project, ...packages } = JSON.parse(
    readFileSync(path.join(folder, 'package-lock.json'), 'utf8'),
  ).packages
  return packages
}
