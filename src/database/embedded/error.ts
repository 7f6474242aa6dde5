/** The embedded PostgreSQL can't run. `message` is one sentence for the operator: what is wrong, and what helps. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError'
}
