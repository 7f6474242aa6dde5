/** How much is loaded. */
export interface Sizes {
  accounts: number
  companies: number
  /** The members of the companies that are measured. The last one has every account as a member. */
  measured: readonly [small: number, medium: number, large: number, largest: number]
  /** Accounts that send the requests. */
  people: number
  /** Companies of each of them besides the measured ones. */
  otherCompanies: number
  /** Sealed audit records of the medium company. */
  auditRecords: number
}

const shared = { people: 64, otherCompanies: 17 }

export const fullSizes: Sizes = {
  ...shared,
  accounts: 1_000_000,
  companies: 100_000,
  measured: [100, 10_000, 100_000, 1_000_000],
  auditRecords: 50_000,
}

/** For a trial of the script. */
export const trialSizes: Sizes = {
  ...shared,
  accounts: 20_000,
  companies: 2_000,
  measured: [100, 1_000, 5_000, 20_000],
  auditRecords: 2_000,
}
