import { type ParseArgsConfig, parseArgs } from 'node:util'

type Parsed<Config extends ParseArgsConfig> = ReturnType<typeof parseArgs<Config>>

/**
 * Parses the options of a command. `--help` prints the help text and exits with 0. A wrong option prints one line and
 * exits with `exitCode`. `check` throws an Error for values that the types of options can't describe.
 */
export function readOptions<const Config extends ParseArgsConfig>(
  help: string,
  config: Config,
  { check = () => {}, exitCode = 1 }: { check?: (parsed: Parsed<Config>) => void; exitCode?: number } = {},
): Parsed<Config> {
  if (process.argv.slice(2).includes('--help')) {
    console.log(help)
    process.exit(0)
  }
  try {
    const parsed = parseArgs(config)
    check(parsed)
    return parsed
  } catch (error) {
    console.error(`${(error as Error).message} (see --help)`)
    process.exit(exitCode)
  }
}
