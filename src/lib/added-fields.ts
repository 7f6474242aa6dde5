import type { z } from 'zod'

/**
 * A field of responses that the last release lacks. A response that it has stored for repetitions of a request is repeated with this
 * value in the place of the field.
 */
export const addedField = <Schema extends z.ZodType>(schema: Schema, formerly: z.util.NoUndefined<z.output<Schema>>) =>
  schema.default(formerly)
