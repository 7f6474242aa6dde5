import { z } from 'zod'
import { UUID_PATTERN } from './ids.ts'

/** A UUID in a request. Its value is in lower case. */
export const Uuid = z
  .string()
  .max(36, 'must be a UUID')
  .regex(UUID_PATTERN, 'must be a UUID')
  .meta({ format: 'uuid' })
  .transform((text) => text.toLowerCase())
