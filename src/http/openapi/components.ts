import { isDeepStrictEqual } from 'node:util'

export type Json = Record<string, unknown>

type Kind = 'schemas' | 'parameters' | 'headers' | 'responses' | 'examples'

/** What several operations share: written once, and only when something refers to it. */
export class Components {
  readonly #parts: Record<Kind, Record<string, Json>> = {
    schemas: {},
    parameters: {},
    headers: {},
    responses: {},
    examples: {},
  }
  /** What schemas were converted to: most operations share those of their refusals. */
  readonly #converted = { input: new Map<object, Json>(), output: new Map<object, Json>() }

  once(schema: object, io: 'input' | 'output', convert: () => Json): Json {
    const known = this.#converted[io].get(schema) ?? convert()
    this.#converted[io].set(schema, known)
    return known
  }

  /** One name is one thing: two schemas that were given the same id stop the boot. */
  refer(kind: Kind, name: string, part: Json): { $ref: string } {
    const known = this.#parts[kind][name]
    if (known && !isDeepStrictEqual(known, part)) throw new Error(`Two different ${kind} are called ${name}`)
    this.#parts[kind][name] = part
    return { $ref: `#/components/${kind}/${name}` }
  }

  find(reference: string): Json {
    const [kind = '', name = ''] = reference.split('/').slice(2)
    return this.#parts[kind as Kind][name] as Json
  }

  build(): Json {
    const kinds = Object.entries(this.#parts).filter(([, parts]) => Object.keys(parts).length > 0)
    return Object.fromEntries(kinds.map(([kind, parts]) => [kind, sorted(parts)]))
  }
}

const sorted = (parts: Json) => Object.fromEntries(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)))
