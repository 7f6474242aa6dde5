import { z } from 'zod'
import { UUID_PATTERN } from './ids.ts'

/** Any UUID of a request, in one letter case from here on. */
export const Uuid = z
  .string()
  .max(36, 'must be a UUID')
  .regex(UUID_PATTERN, 'must be a UUID')
  .meta({ format: 'uuid' })
  .transform((text) => text.toLowerCase())
