export type Json = { [key: string]: unknown }

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Json
}

/** An operation of an OpenAPI document with its references resolved. */
export interface DocumentedOperation {
  /** Such as `POST /api/auth/login`. */
  name: string
  method: string
  /** Below `/api`, such as `/auth/sessions/{id}`. */
  url: string
  parameters: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Json; example: unknown } } }
  // Read like by a generator of clients: without types.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  responses: Record<string, any>
  // biome-ignore lint/suspicious/noExplicitAny: see above
  [key: string]: any
}

export function operationsOf(document: object): DocumentedOperation[] {
  const { paths } = document as { paths: Record<string, Record<string, Json>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...(withoutReferences(operation, document as Json) as DocumentedOperation),
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      url: path.replace('/api', ''),
    })),
  )
}

/** A recursive schema, such as that of a tree, is followed once. */
export function withoutReferences(part: unknown, document: Json, above: string[] = []): unknown {
  if (Array.isArray(part)) return part.map((each) => withoutReferences(each, document, above))
  if (part === null || typeof part !== 'object') return part
  const { $ref, ...rest } = part as Json
  if (typeof $ref !== 'string')
    return Object.fromEntries(
      Object.entries(rest).map(([key, each]) => [key, withoutReferences(each, document, above)]),
    )
  if (above.includes($ref)) return { type: 'object' }
  return withoutReferences(partAt($ref, document), document, [...above, $ref])
}

const partAt = (reference: string, document: Json) =>
  reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((part, key) => (part as Json)[key], document)
