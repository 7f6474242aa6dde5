/** Reads the options of a command. `--help` prints what it does and ends well; a wrong option is one line, and exit code 1. */
export function parseOrExit<Options extends { help?: boolean }>(help: string, parse: () => Options): Options {
  const options = orExit(parse)
  if (!options.help) return options
  console.log(help)
  process.exit(0)
}

function orExit<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    console.error((error as Error).message.split('\n')[0])
    process.exit(1)
  }
}
