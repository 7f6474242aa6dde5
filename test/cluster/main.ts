import { existsSync } from 'node:fs'
import { readOptions } from '../../scripts/options.ts'
import { assertInstalled, runFaults } from '../faults/run-faults.ts'
import { clusterFaults } from './cluster-faults.ts'

const HELP = `npm run test:cluster [-- NAME…]

Runs three PostgreSQL 15 nodes under Patroni on loopback, with synchronous replication, lets people write through two
nodes of the service, and kills the leader, or lets it hang until another one leads. Needs Debian's postgresql-15,
patroni, etcd-server and haproxy.
Exits with 1 when anything acknowledged was lost, was done or sent twice, or did not heal in time.`

const { positionals } = readOptions(HELP, { allowPositionals: true })
for (const program of ['patroni', 'etcd', 'haproxy']) assertInstalled(program)
if (!existsSync('/usr/lib/postgresql/15/bin/postgres')) throw new Error('postgresql-15 is not installed')
const faults = clusterFaults().filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
)
if (!(await runFaults(faults))) process.exitCode = 1
