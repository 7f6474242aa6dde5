import { type ParseArgsConfig, parseArgs } from 'node:util'

type Parsed<Config extends ParseArgsConfig> = ReturnType<typeof parseArgs<Config>>

/**
 * Reads the options of a command. `--help` prints what it does and ends well; a wrong option is one line and another exit
 * code. `check` throws an error for what the types of options don't say.
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
    console.error(`${(error as Error).message} (--help tells more)`)
    process.exit(exitCode)
  }
}
