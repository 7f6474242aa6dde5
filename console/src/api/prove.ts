import { askForProof } from './step-up.ts'
import { tenantry } from './tenantry.ts'

/** Before a call would be refused for want of a fresh proof. False: the person gave none. */
export const prove = async (): Promise<boolean> => askForProof((await tenantry.account.stepUpOptions()).methods)
