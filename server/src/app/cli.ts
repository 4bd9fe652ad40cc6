// The command line: `npm run cli -- <command>`. See `--help`; what it does is in `cli/`.

import { runCli } from './cli/command-line.ts'

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
})
