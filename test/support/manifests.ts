import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Deployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { Job } from 'kubernetes-models/batch/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Secret, Service } from 'kubernetes-models/v1'
import { readYaml, root, type Yaml } from './deploy.ts'

/** kubernetes-models is made from the OpenAPI document of Kubernetes. */
const MODELS = {
  'apps/v1 Deployment': Deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler,
  'batch/v1 Job': Job,
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
  'v1 ConfigMap': ConfigMap,
  'v1 Secret': Secret,
  'v1 Service': Service,
} as Record<string, new (data: Yaml) => { validate(): void }>

interface Manifest {
  file: string
  kind: string
  manifest: Yaml
}

export const manifests: Manifest[] = globSync('*.yaml', { cwd: path.join(root, 'deploy', 'kubernetes') })
  .filter((file) => file !== 'kustomization.yaml')
  .flatMap((file) => readYaml(`deploy/kubernetes/${file}`).map((manifest) => ({ file, kind: manifest.kind, manifest })))

/** Wrong types and formats, missing fields. */
export function mistakesIn({ file, manifest }: Manifest): string[] {
  const Known = MODELS[`${manifest.apiVersion} ${manifest.kind}`]
  if (!Known) return [`${file}: ${manifest.apiVersion} ${manifest.kind} is unknown`]
  try {
    new Known(manifest).validate()
    return []
  } catch (error) {
    return [`${file}: ${(error as Error).message}`]
  }
}

/** What the schemas allow, and the API server refuses or drops: unknown fields. TypeScript knows them in literals. */
export function typeMistakesIn(checked: Manifest[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-manifests-'))
  try {
    const models = path.join(root, 'node_modules', 'kubernetes-models')
    for (const [index, { manifest }] of checked.entries()) {
      const module = path.join(models, manifest.apiVersion, `${manifest.kind}.js`)
      const type = `import(${JSON.stringify(module)}).I${manifest.kind}`
      writeFileSync(
        path.join(folder, `${index}.ts`),
        `const manifest: ${type} = ${JSON.stringify(manifest)}\nexport default manifest\n`,
      )
    }
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '']
    const { stdout, error } = spawnSync(
      path.join(root, 'node_modules', '.bin', 'tsc'),
      [...options, ...checked.map((_, index) => `${index}.ts`)],
      { cwd: folder, encoding: 'utf8' },
    )
    if (error) throw error
    return stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
