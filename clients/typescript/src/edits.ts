/** What is edited or removed: by its id, or as it was read, which names the version as well. */
export type Edited = string | { readonly id: string; readonly etag?: string }

export function editOf(edited: Edited): { id: string; ifMatch: string | undefined } {
  return typeof edited === 'string' ? { id: edited, ifMatch: undefined } : { id: edited.id, ifMatch: edited.etag }
}
