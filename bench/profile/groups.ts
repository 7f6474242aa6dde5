/** As the inspector gives it. Times are in microseconds. */
export interface CpuProfile {
  nodes: ProfileNode[]
  /** The node of each sample, and the time since the sample before. */
  samples: number[]
  timeDeltas: number[]
}

interface ProfileNode {
  id: number
  callFrame: { functionName: string; url: string }
  children?: number[]
}

/** The first pattern that matches the file of a function decides. */
const groupsOfFiles: [pattern: RegExp, group: string][] = [
  [/node_modules\/(pg|pg-protocol|pg-pool|pg-types|pg-connection-string|postgres-[a-z]+|pgpass)\//, 'driver'],
  [/node_modules\/kysely\//, 'query builder'],
  [/node_modules\/(fast-json-stringify|json-schema-[a-z-]+)\//, 'JSON'],
  [/node_modules\/(zod|ajv)\//, 'validation'],
  [/node_modules\/pino|node_modules\/(sonic-boom|thread-stream)\//, 'log'],
  [/node_modules\/(@fastify|fastify|find-my-way|avvio|light-my-request|secure-json-parse|proxy-addr)/, 'Fastify'],
  [/node_modules\//, 'other packages'],
  [/\/src\/database\//, 'our code: database'],
  [/\/src\/http\//, 'our code: http'],
  [/\/src\/(access|features|lib|config|process)\//, 'our code: rules'],
  [/^node:(_http|internal\/(http|_http))/, 'Node: http'],
  [/^node:(net|stream|internal\/(streams|stream_base|net|js_stream))/, 'Node: sockets'],
  [/^node:(crypto|internal\/crypto)/, 'Node: crypto'],
  [/^node:(timers|internal\/(timers|process|async_hooks|async_local))/, 'Node: timers and promises'],
]

/** What has no file: V8's own functions, and compiled text. */
const groupsOfNames: Record<string, string> = {
  '(idle)': 'idle',
  '(garbage collector)': 'garbage collection',
  '(program)': 'Node and V8, outside of JavaScript',
  '(root)': 'Node and V8, outside of JavaScript',
  parse: 'JSON',
  stringify: 'JSON',
  anonymous0: 'JSON',
  writev: 'system calls of sockets',
  writeBuffer: 'system calls of sockets',
  writeUtf8String: 'system calls of sockets',
  writeLatin1String: 'system calls of sockets',
  readStart: 'system calls of sockets',
}

/** The time of each group. A function without a group belongs to that of its caller. */
export function microsByGroup({ nodes, samples, timeDeltas }: CpuProfile): Map<string, number> {
  const groups = groupsOf(nodes)
  const sums = new Map<string, number>()
  samples.forEach((id, index) => {
    const group = groups.get(id) ?? 'Node: other'
    sums.set(group, (sums.get(group) ?? 0) + (timeDeltas[index] ?? 0))
  })
  return sums
}

function groupsOf(nodes: readonly ProfileNode[]): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const groups = new Map<number, string>()
  const visit = (node: ProfileNode, callers: string) => {
    const group = groupOf(node) ?? callers
    groups.set(node.id, group)
    for (const child of node.children ?? []) visit(byId.get(child) as ProfileNode, group)
  }
  if (nodes[0]) visit(nodes[0], 'Node: other')
  return groups
}

/** Helpers of Node, such as buffers and events, work for their callers. */
function groupOf({ callFrame: { functionName, url } }: ProfileNode): string | undefined {
  if (url === '') return groupsOfNames[functionName]
  return groupsOfFiles.find(([pattern]) => pattern.test(url))?.[1]
}
