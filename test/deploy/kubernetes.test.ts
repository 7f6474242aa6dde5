import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { commandsIn, createProgram } from '../../src/cli/program.ts'
import { productionConfig, read, readImage, readYaml, SECRET, stopSecondsMax, type Yaml } from '../support/deploy.ts'
import { manifests, mistakesIn, typeMistakesIn } from '../support/manifests.ts'

const image = readImage()
const find = (kind: string): Yaml => manifests.filter((each) => each.kind === kind).map(({ manifest }) => manifest)[0]
const deployment = find('Deployment')
const job = find('Job')
const settings = find('ConfigMap')
const secret = find('Secret')
const pods: Yaml[] = [deployment.spec.template.spec, job.spec.template.spec]
const [container] = deployment.spec.template.spec.containers

const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-kubernetes-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** As the pods have it: the keys of the secret are files. */
function configOf(pod: Yaml) {
  const [{ mountPath }] = pod.containers[0].volumeMounts
  for (const [key, value] of Object.entries<string>(secret.stringData))
    writeFileSync(path.join(folder, key), key === 'app-secret' ? SECRET : value)
  const data = Object.entries<string>(settings.data).map(([name, value]) => [name, value.replace(mountPath, folder)])
  return productionConfig({ ...image.env, ...Object.fromEntries(data) })
}

describe('the Kubernetes manifests', () => {
  it('migrate by a command that exists, and serve by the one of the image', () => {
    const [program, ...command] = job.spec.template.spec.containers[0].args
    assert.equal(program, 'tenantry')
    const found = commandsIn(createProgram()).filter((each) => each.name() === command.join(' '))
    assert.equal(found.length, 1)
    assert.deepEqual([container.args, container.command], [undefined, undefined])
  })

  it('fit the published schemas: no unknown field, no wrong type, nothing missing', () => {
    assert.deepEqual(manifests.flatMap(mistakesIn), [])
    assert.equal(typeMistakesIn(manifests), '')
  })

  it('are compared with schemas that know such mistakes', () => {
    const [first] = manifests.filter(({ kind }) => kind === 'Deployment')
    assert.ok(first)
    const misspelled = structuredClone(first)
    misspelled.manifest.spec.template.spec.containers[0].livenessProbe.periodSecond = 5
    assert.match(typeMistakesIn([misspelled]), /periodSecond/)
    const wrong = structuredClone(first)
    wrong.manifest.spec.template.spec.terminationGracePeriodSeconds = '30s'
    assert.equal(mistakesIn(wrong).length, 1)
  })

  it('are all applied by kustomize, except the secret and the job', () => {
    const [kustomization] = readYaml('deploy/kubernetes/kustomization.yaml')
    const applied = manifests.filter(({ kind }) => !['Secret', 'Job'].includes(kind)).map(({ file }) => file)
    assert.deepEqual([...kustomization.resources].sort(), applied.sort())
  })

  it('give the service settings that it accepts, with its secrets in files', () => {
    for (const pod of pods) {
      const config = configOf(pod)
      assert.deepEqual([config.port, config.appSecret], [image.port, SECRET])
      const [{ secret: mounted, name }] = pod.volumes
      assert.deepEqual(pod.containers[0].envFrom, [{ configMapRef: { name: settings.metadata.name } }])
      assert.deepEqual([mounted.secretName, name], [secret.metadata.name, pod.containers[0].volumeMounts[0].name])
      // Readable for the group that the pod gives its volumes.
      assert.equal(mounted.defaultMode & 0o777, 0o440)
    }
    for (const key of Object.keys(secret.stringData))
      assert.match(read('deploy/kubernetes/secret.example.yaml'), new RegExp(`--from-literal=${key}=`))
    assert.equal(secret.stringData['app-secret'], '')
  })

  it('run with nothing but what the service needs, as the user of the image', () => {
    const [user, group] = image.user.split(':').map(Number)
    for (const pod of pods) {
      assert.deepEqual(pod.securityContext, {
        runAsNonRoot: true,
        runAsUser: user,
        runAsGroup: group,
        fsGroup: group,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      assert.deepEqual([pod.automountServiceAccountToken, pod.enableServiceLinks], [false, false])
      assert.deepEqual(pod.containers[0].securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  it('probe paths that exist, on the port of the service', () => {
    const { paths } = JSON.parse(read('docs/openapi.json'))
    const { name, containerPort } = container.ports[0]
    assert.equal(containerPort, image.port)
    const { metrics } = configOf(deployment.spec.template.spec)
    assert.deepEqual(metrics, { host: '0.0.0.0', port: container.ports[1].containerPort })
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path: at, port } = container[probe].httpGet
      assert.ok(paths[at]?.get, at)
      assert.equal(port, name)
    }
    assert.equal(container.livenessProbe.httpGet.path, '/api/health')
    assert.equal(container.readinessProbe.httpGet.path, '/api/health/ready')
    const { periodSeconds, failureThreshold } = container.startupProbe
    assert.ok(periodSeconds * failureThreshold > 60)
  })

  it('let a stop end, after every balancer has noticed it', () => {
    const config = configOf(deployment.spec.template.spec)
    assert.ok(deployment.spec.template.spec.terminationGracePeriodSeconds > stopSecondsMax(config))
    const { periodSeconds, failureThreshold, timeoutSeconds } = container.readinessProbe
    assert.ok(config.shutdownDrainMs / 1000 >= periodSeconds * failureThreshold + timeoutSeconds)
    assert.equal(container.lifecycle, undefined)
  })

  it('select the pods of the service, and not those of the job', () => {
    const { labels } = deployment.spec.template.metadata
    const selectors = [
      deployment.spec.selector.matchLabels,
      find('Service').spec.selector,
      find('PodDisruptionBudget').spec.selector.matchLabels,
    ]
    for (const selector of selectors) assert.deepEqual(selector, labels)
    assert.notDeepEqual(job.spec.template.metadata.labels, labels)
    assert.equal(find('Service').spec.ports[0].targetPort, container.ports[0].name)
    assert.deepEqual(find('HorizontalPodAutoscaler').spec.scaleTargetRef.name, deployment.metadata.name)
  })

  it('keep serving while a pod is replaced, within the connections that PostgreSQL allows', () => {
    const { minReplicas, maxReplicas } = find('HorizontalPodAutoscaler').spec
    const { maxSurge, maxUnavailable } = deployment.spec.strategy.rollingUpdate
    assert.deepEqual([maxUnavailable, deployment.spec.replicas], [0, undefined])
    assert.ok(minReplicas > find('PodDisruptionBudget').spec.maxUnavailable)
    const sources = ['connections', 'write-connections'].map((name) => read(`src/database/${name}.ts`)).join('\n')
    const connections = [...sources.matchAll(/^const (?:\w+_)?CONNECTIONS = (\d+)$/gm)].map(([, count]) =>
      Number(count),
    )
    assert.equal(connections.length, 3)
    const connectionsOfPod = connections.reduce((sum, count) => sum + count)
    // Of the default 100, three are reserved for superusers; a start has one more for migrations.
    assert.ok((maxReplicas + maxSurge) * connectionsOfPod + 1 <= 97)
    assert.match(read('deploy/kubernetes/autoscaler.yaml'), new RegExp(`and ${connectionsOfPod} connections each`))
  })
})
