import type { z } from 'zod'
import type { Permission } from '../../access/permissions.ts'
import type { Access, Fresh } from '../../access/requirements.ts'
import { isRateLimited } from '../limits/limits.ts'
import type { Operation } from '../route-definition.ts'
import { describeAnswers } from './answers.ts'
import type { Components, Json } from './components.ts'
import { exampleOf } from './examples.ts'
import { describeParameters } from './parameters.ts'
import { schemaOf } from './schemas.ts'
import { tagOf } from './tags.ts'

export function describeOperation(operation: Operation, components: Components): Json {
  const { declaration } = operation
  const { access, docs, request, limit } = declaration
  const { operationId, summary } = docs
  return {
    operationId,
    summary,
    description: descriptionOf(operation),
    tags: [tagOf(declaration)],
    security: securityOf(access),
    ...(typeof access === 'object' && { 'x-permission': access.company }),
    ...(limit && { 'x-rate-limit': { requests: limit.requests, perSeconds: limit.perSeconds } }),
    parameters: describeParameters(operation, components),
    ...(request?.body && { requestBody: { required: true, content: describeBody(request.body, components) } }),
    responses: describeAnswers(operation, components),
  }
}

/** What the declaration says, and what follows from it. */
function descriptionOf({ url, declaration: { docs, access, ownerOnly, fresh, limit } }: Operation): string {
  const notes = [
    typeof access === 'object' && rightOf(access.company),
    ownerOnly && 'Only for owners.',
    fresh && proofOf(fresh),
    access === 'anyone' && 'No authentication required.',
    access === 'account with any password' && 'Also available while you have a temporary password.',
    limit && `Limited to ${limit.requests} requests per ${limit.perSeconds} seconds per ${limit.by ?? 'IP address'}.`,
    !isRateLimited(url) && 'Not rate limited.',
  ]
  return [docs.description, notes.filter(Boolean).join(' ')].filter(Boolean).join('\n\n')
}

/** Both are needed where the company is named by the header: one requirement, not two that could stand in for each other. */
function securityOf(access: Access): Json[] {
  if (access === 'anyone') return []
  return [typeof access === 'object' && !access.at ? { accessToken: [], company: [] } : { accessToken: [] }]
}

function describeBody(body: z.ZodType, components: Components): Json {
  const schema = schemaOf(body, 'input', components)
  return { 'application/json': { schema, example: exampleOf(schema, components, 'request') } }
}

function rightOf(right: Permission | 'membership' | 'any membership'): string {
  if (right === 'membership') return 'Available to every active member.'
  return right === 'any membership'
    ? 'Available to every member, also inactive ones.'
    : `Requires the \`${right}\` permission.`
}

const proofOf = ({ minutes, onlyWithFactor }: Fresh): string =>
  onlyWithFactor
    ? `If you have a second factor, this session must have proved it in the last ${minutes} minutes.`
    : `This session must have proved your second factor in the last ${minutes} minutes or, if you have none, your password.`
