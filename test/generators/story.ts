export interface Person {
  email: string
  password: string
  name: string
  companyName: string
  taxId: string
}

/**
 * Told by each generated client: Ann and Eve sign up; Ann lists members without a company, in her own, and in Eve's. The
 * company is set once, for all requests of the client.
 */
export type Story = (address: string, people: { ann: Person; eve: Person }) => Promise<Told>

export interface Told {
  /** The code of the problem without a company. */
  missing: string
  /** The members of Ann's company. */
  emails: string[]
  roleIds: string[]
  /** The problem in Eve's company. */
  refusal: { code: string; message: string }
}
