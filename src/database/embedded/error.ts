/** What went wrong and what to do about it, in one sentence for the person who starts the service. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError'
}
