// Reads the command line, runs one command, answers the exit code. Law: with `--json` standard
// output holds one line of JSON and nothing else; a mistake is one line on standard error and 1. A
// command is shown as it is typed in a clone: nothing of it is installed elsewhere.

import { Command, CommanderError } from 'commander'
import { languageFrom } from './arguments.ts'
import { addDatabaseCommands } from './database.ts'
import { addDemoCommands } from './demo.ts'
import { describeError } from './describe-error.ts'
import { addDoctorCommand } from './doctor.ts'
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

const program_name = 'npm run cli --'

export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  const program = new Command(program_name)
    .description(
      'Manages a Pirogue installation: the database in DATABASE_URL, or the one in DATA_DIR. ' +
        'Run it in a clone of the repository; `npm run --silent cli --` omits npm’s own lines.',
    )
    .option('--json', 'print one line of JSON')
    .option(
      '--language <language>',
      'of what `doctor` and `gateway check` find: fr or en; else that of LC_ALL, LANG',
      languageFrom,
    )
  const run = session(io, program)
  addSetupCommands(program, run)
  addMerchantCommands(program, run)
  addKeyCommands(program, run)
  addStaffCommands(program, run, io)
  addLedgerCommands(program, run)
  addDoctorCommand(program, run)
  addGatewayCommands(program, run, io)
  addIncidentCommands(program, run)
  addReceiptKeyCommands(program, run)
  addRetentionCommands(program, run)
  addSecretsCommands(program, run)
  addStatesCommands(program, run)
  addDemoCommands(program, run)
  addDatabaseCommands(program, run)
  for (const command of everyCommand(program)) {
    command.configureHelp({ subcommandTerm: (one) => [one.name(), usageOf(one)].join(' ').trim() })
    if (command.commands.length === 0) command.usage(usageOf(command))
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
    io.err(describeMistake(error, reachedBy(program, args)))
    return 1
  }
}

/** Each argument may come behind its flag instead; one of the two must, so all are shown as due. */
function usageOf(command: Command): string {
  if (command.name() === 'help') return ''
  const names = command.registeredArguments.map((one) => `<${one.name()}>`)
  return [...names, ...(command.options.length > 0 ? ['[options]'] : [])].join(' ')
}

/** The last command that the arguments name. */
function reachedBy(program: Command, args: readonly string[]): Command {
  return args.reduce((at, word) => at.commands.find((one) => one.name() === word) ?? at, program)
}

/** Whoever named no command, or none that there is, reads which there are. */
function describeMistake(error: unknown, at: Command): string {
  if (!(error instanceof CommanderError)) return describeError(error)
  if (error.code.startsWith('commander.help')) return whichOf(at)
  const isUnknown = error.code === 'commander.unknownCommand'
  return isUnknown ? `${describeError(error)}. ${whichOf(at)}` : describeError(error)
}

/** The commands of a group. */
function whichOf(group: Command): string {
  const names = group.commands.map((one) => one.name()).join(', ')
  const whole = [...namesAbove(group), '--help'].join(' ')
  return `Which command? One of: ${names}. \`${whole}\` says what each does.`
}

const namesAbove = (command: Command): string[] =>
  command.parent === null ? [command.name()] : [...namesAbove(command.parent), command.name()]

const everyCommand = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap((one) => everyCommand(one)),
]
