import type { components, paths } from './schema.ts'

export type Schemas = components['schemas']

export type Account = Schemas['User']
export type AccountSession = Schemas['Session']
export type CompanySummary = Schemas['TenantSummary']
export type Company = Schemas['Company']
export type Member = Schemas['Member']
export type Role = Schemas['Role']
export type Branch = Schemas['Branch']
export type Domain = Schemas['Domain']
export type Invitation = Schemas['Invitation']
export type InvitationLink = Schemas['InvitationLink']
export type OwnInvitation = Schemas['OwnInvitation']
export type JoinRequest = Schemas['JoinRequest']
export type JoinableCompany = Schemas['JoinableCompany']
export type Policy = Schemas['Policy']
export type PolicyImpact = Schemas['PolicyImpact']
export type NonCompliantMember = Schemas['NonCompliantMember']
export type AuditRecord = Schemas['AuditRecord']
export type PermissionName = Schemas['PermissionName']

/** An object as it was read, with the version that `If-Match` compares. */
export type Versioned<Entity> = Entity & { readonly etag: string }

/** What is edited or removed: by its id, or as it was read, which names the version as well. */
export type Edited = string | { readonly id: string; readonly etag?: string }

/** One page of a list. */
export interface Page<Item> {
  items: Item[]
  /** Items on all pages together. */
  total: number
  page: number
  limit: number
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, also while it waits for its next attempt. */
  signal?: AbortSignal | undefined
  /** A name of your own for this write, such as one that outlives a reload. By default each write gets a random one. */
  idempotencyKey?: string | undefined
}

/** What an edit or a removal takes. */
export interface EditOptions extends CallOptions {
  /** Refuse with `version_mismatch` unless this is still the version; null: whatever the version is. */
  ifMatch?: string | { readonly etag?: string } | null | undefined
}

/** What the document says about the operations. */
export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'
interface WithBody {
  requestBody: { content: { 'application/json': unknown } }
}
export type PathWith<V extends Verb, Operation = unknown> = {
  [P in keyof paths]: paths[P][V] extends { responses: unknown } & Operation ? P : never
}[keyof paths]
export type PathTaking<V extends Verb> = PathWith<V, WithBody>
export type PathTakingNone<V extends Verb> = Exclude<PathWith<V>, PathTaking<V>>

export type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? Exclude<Q, undefined> : never
export type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer B } } } ? B : never
/** The body of a success. */
export type SuccessOf<O> = O extends { responses: infer R }
  ? {
      [S in keyof R]: S extends 200 | 201
        ? R[S] extends { content: { 'application/json': infer B } }
          ? B
          : never
        : never
    }[keyof R]
  : never
/** The body of a refusal. */
export type RefusalOf<O> = O extends { responses: infer R }
  ? {
      [S in keyof R]: S extends 200 | 201
        ? never
        : R[S] extends { content: { 'application/json': infer B } }
          ? B
          : never
    }[keyof R]
  : never
type DataOf<O> = SuccessOf<O> extends { data: infer D } ? D : never
export type ItemOf<O> = DataOf<O> extends (infer Item)[] ? Item : never

/** The `data` of a success, with its version where the operation knows versions. */
export type Answer<V extends Verb, P extends keyof paths> = V extends 'get' | 'patch'
  ? paths[P][V] extends { parameters: { header?: infer H } }
    ? ('If-Match' | 'If-None-Match') & keyof H extends never
      ? DataOf<paths[P][V]>
      : Versioned<DataOf<paths[P][V]>>
    : never
  : DataOf<paths[P][V]>
