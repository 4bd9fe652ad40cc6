// Reads the command line, runs one command, answers the exit code. Law: with `--json` standard
// output holds one line of JSON and nothing else; a mistake is one line on standard error and 1.

import { Command, CommanderError } from 'commander'
import { addDemoCommands } from './demo.ts'
import { describeError } from './describe-error.ts'
import { addGatewayCommands } from './gateway.ts'
import { addIncidentCommands } from './incident.ts'
import { addKeyCommands } from './key.ts'
import { addLedgerCommands } from './ledger.ts'
import { addMerchantCommands } from './merchant.ts'
import { addRetentionCommands } from './retention.ts'
import { addReceiptKeyCommands, addSecretsCommands } from './secrets.ts'
import { type CliIo, session } from './session.ts'
import { addSetupCommands } from './setup.ts'
import { addStaffCommands } from './staff.ts'
import { addStatesCommands } from './states.ts'

export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  const program = new Command('pirogue')
    .description(
      'Manages a Pirogue installation: the database in DATABASE_URL, or the one in DATA_DIR.',
    )
    .option('--json', 'print one line of JSON')
  const run = session(io, program)
  addSetupCommands(program, run)
  addMerchantCommands(program, run)
  addKeyCommands(program, run)
  addStaffCommands(program, run, io)
  addLedgerCommands(program, run)
  addGatewayCommands(program, run, io)
  addIncidentCommands(program, run)
  addReceiptKeyCommands(program, run)
  addRetentionCommands(program, run)
  addSecretsCommands(program, run)
  addStatesCommands(program, run)
  addDemoCommands(program, run)
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      // Help for an incomplete command; the error follows in one line.
      writeErr: () => undefined,
    })
  }
  try {
    await program.parseAsync([...args], { from: 'user' })
    return run.exit_code()
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    io.err(describeError(error))
    return 1
  }
}

const everyCommand = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap((one) => everyCommand(one)),
]
