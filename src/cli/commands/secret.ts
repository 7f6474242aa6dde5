import type { Command } from '@commander-js/extra-typings'
import type { Database } from '../../database/open.ts'
import { judgeRotation, type Rotation } from '../../features/nodes/rotation.ts'
import { type RotationState, readRotationState } from '../../features/nodes/rotation-state.ts'
import { EXIT } from '../exit-codes.ts'
import { JSON_OPTION } from '../options.ts'
import { fields, type Outcome, present, table } from '../output.ts'
import { withService } from '../with-service.ts'

const HELP = `
It reads what the nodes have reported in the last minute, says which step of a rotation is next and when, and changes
nothing. The exit code is 1 while no node runs, and when one refuses what another has signed: then it says what to fix
first, and no step.`

export function addSecretCommands(program: Command): void {
  const secret = program.command('secret').description('APP_SECRET')
  secret
    .command('rotate')
    .description('say which step of a rotation of APP_SECRET is next, by what the nodes report')
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action((options) =>
      present(
        options,
        withService(({ database }) => examine(database)),
      ),
    )
}

async function examine(database: Database): Promise<Outcome> {
  const state = await readRotationState(database)
  const rotation = judgeRotation(state)
  const isWrong = rotation.step === 'not_running' || rotation.problems.length > 0
  return {
    text: reportOf(rotation, state),
    json: { ...rotation, nodes: state.nodes, keys: state.keys },
    warnings: rotation.problems,
    exitCode: isWrong ? EXIT.failed : EXIT.done,
  }
}

function reportOf({ step, next, until }: Rotation, { nodes }: RotationState): string {
  const rows = nodes.map(({ host, version, started_at, signing_kid, accepted_kids }) => {
    const others = accepted_kids.filter((kid) => kid !== signing_kid)
    return [host, version, started_at, short(signing_kid), others.map(short).join(', ')]
  })
  const titles = ['node', 'version', 'started', 'signs with', 'accepts too']
  const verdict = fields({ step, next, ...(until && { 'not before': until }) })
  return `${table(titles, rows, 'No node runs.')}\n\n${verdict}`
}

/** Enough to tell keys apart. */
const short = (kid: string) => kid.slice(0, 8)
