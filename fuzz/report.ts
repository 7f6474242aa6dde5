import type { Exchange } from './authority.ts'
import type { BatchFinding } from './run.ts'

const EXCHANGES_MAX = 8
const TEXT_MAX = 1500

/** The rule, the requests with their answers, and the command that repeats them. */
export function describeFinding({ seed, batch, path, finding }: BatchFinding): string {
  const { rule, operation, about, exchanges } = finding
  return [
    `FOUND  ${rule}  (${operation})`,
    `  ${about}`,
    ...exchanges.slice(0, EXCHANGES_MAX).flatMap(describeExchange),
    `  again: npm run fuzz -- --seed ${seed} --batch ${batch} --path ${path}   (without --path: the whole batch)`,
    '',
  ].join('\n')
}

function describeExchange({ request, answer }: Exchange): string[] {
  const { method, path, headers, body, caller } = request
  return [
    `  > ${method} ${cut(path)}   as ${caller.name}`,
    ...headers.map(([name, value]) => `  > ${name}: ${cut(JSON.stringify(value))}`),
    ...(body ? [`  > ${cut(JSON.stringify(body.toString()))}`] : []),
    `  < ${answer.status} ${cut(answer.text)}`,
  ]
}

const cut = (text: string) => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}… (${text.length})` : text)
