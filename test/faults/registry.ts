import type { Fault } from './fault.ts'
import { poolerFaults } from './pooler-faults.ts'
import { postgresFaults } from './postgres-faults.ts'
import { redisFaults } from './redis-faults.ts'
import { rollingRestart } from './rolling-restart.ts'
import { serviceFaults } from './service-faults.ts'
import { smtpFaults } from './smtp-faults.ts'

/** Every fault that `npm run test:faults` tries, in this order. */
export const faults: Fault[] = [
  ...serviceFaults,
  rollingRestart,
  ...postgresFaults,
  ...poolerFaults,
  ...redisFaults,
  ...smtpFaults,
]
