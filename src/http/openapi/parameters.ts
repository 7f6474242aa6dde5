import type { z } from 'zod'
import type { Operation } from '../declarations.ts'
import type { Components, Json } from './components.ts'
import { schemaOf } from './schemas.ts'

interface SharedParameter {
  /** Its name as a component. */
  component: string
  isOn(operation: Operation): boolean
  parameter: Json
}

/** Headers that many operations read. One more is one more entry here. */
const shared: SharedParameter[] = [
  {
    component: 'CompanyId',
    isOn: ({ declaration }) => typeof declaration.access === 'object',
    parameter: {
      name: 'x-company-id',
      in: 'header',
      required: true,
      description: 'The company to act in: one of `tenants`, in which the caller is an active member.',
      schema: { type: 'string', format: 'uuid', maxLength: 36 },
    },
  },
]

/** What parameters of paths mean; those of queries say it in their schemas. */
const descriptionsInPaths: Record<string, string> = {
  userId: 'The id of the account, as in `id` of a member.',
  branchId: 'The id of the branch.',
  roleId: 'The id of the role.',
}

export function describeParameters(operation: Operation, components: Components): Json[] {
  const { params, query } = operation.declaration
  return [
    ...(params ? parametersIn(params, 'path', components) : []),
    ...(query ? parametersIn(query, 'query', components) : []),
    ...shared
      .filter(({ isOn }) => isOn(operation))
      .map(({ component, parameter }) => components.refer('parameters', component, parameter)),
  ]
}

function parametersIn(schema: z.ZodType, where: 'path' | 'query', components: Components): Json[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input', components) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description = descriptionsInPaths[name], ...property }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
  }))
}
