/** Functions as they called each other, and what was measured in them: microseconds, or bytes. */
export interface Profile {
  nodes: ProfileNode[]
  /** The node of each sample, and how much it stands for. */
  samples: number[]
  weights: number[]
}

export interface ProfileNode {
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
  '(V8 API)': 'Node and V8, outside of JavaScript',
  '(BYTECODE_COMPILER)': 'Node and V8, outside of JavaScript',
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

/** The sum of each group. A function without a group belongs to that of its caller. */
export const sumsByGroup = (profile: Profile): Map<string, number> => sumsBy(profile, groupsOf(profile.nodes))

/** The sum of each function itself, by its name and file. */
export const sumsByFunction = (profile: Profile): Map<string, number> =>
  sumsBy(profile, new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)])))

function sumsBy({ samples, weights }: Profile, names: ReadonlyMap<number, string>): Map<string, number> {
  const sums = new Map<string, number>()
  samples.forEach((id, index) => {
    const name = names.get(id) ?? 'Node: other'
    sums.set(name, (sums.get(name) ?? 0) + (weights[index] ?? 0))
  })
  return sums
}

/** A file of a package or of this project without what is before it. */
const nameOf = ({ functionName, url }: ProfileNode['callFrame']) =>
  `${functionName || 'anonymous'} ${url.replace(/^.*\/(node_modules|src)\//, '')}`.trim()

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
