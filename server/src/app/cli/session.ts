// What a command runs in: the configuration, a database for as long as it lasts, one way to print.

import type { Command } from 'commander'
import { pino } from 'pino'
import type { Db } from '../../platform/db.ts'
import { type Locale, type Text, typeset } from '../../platform/errors.ts'
import { type Group, listGroups } from '../../platform/places/map-store.ts'
import { placePools } from '../../platform/places/place-pools.ts'
import { type Config, readConfig } from '../config.ts'
import { type Connection, type ConnectRole, connect, type OpenOptions } from '../connect.ts'

export type CliIo = Readonly<{
  env: Readonly<Record<string, string | undefined>>
  /** One line of standard output. */
  out: (line: string) => void
  /** One line of standard error. */
  err: (line: string) => void
  /** Standard input; the process's own when absent. */
  input?: NodeJS.ReadableStream
}>

/** What is the same in both languages, or a text in the one that the run is asked for. */
export type CliLine = string | Text

/** A command's output: as data, and in lines for a person. */
export type CliOutput = Readonly<{
  json: unknown
  lines: readonly CliLine[]
  /** True when the check found something wrong: the exit code is then 1. */
  failed?: boolean
}>

export type Session = Readonly<{
  /** Prints the output of a command without a database. */
  print(output: CliOutput): void
  /** For a person who waits: a line before the output is whole. A program gets that alone. */
  report(line: CliLine): void
  /** Runs `work` on the database under this role, and prints its output. */
  withDb(role: ConnectRole, work: (db: Db, config: Config) => Promise<CliOutput>): Promise<void>
  /** Of what was found: as it was asked for, else as the terminal has it; English for programs. */
  language(): Locale
  exit_code(): number
}>

export function session(io: CliIo, program: Command): Session {
  let failed = false
  const language = () => languageOf(program.opts(), io.env)
  const report = (line: CliLine): void => {
    if (program.opts()['json'] !== true) io.out(lineIn(line, language()))
  }
  const print = (output: CliOutput): void => {
    if (output.failed === true) failed = true
    if (program.opts()['json'] === true) io.out(JSON.stringify(output.json))
    else output.lines.forEach(report)
  }
  return {
    print,
    report,
    async withDb(role, work) {
      const config = configOf(io.env)
      const connection = await connect(config, pino({ level: 'silent' }))
      try {
        const name = 'pirogue-cli'
        // Whoever started it waits and may stop it: a proof over a long history takes its time.
        const how = { connections_max: 2, durable: true, name, statement_timeout_ms: 0 }
        const db = connection.open(role, how)
        if (role === 'pirogue_app') await placeOn(connection, db, how)
        print(await work(db, config))
      } finally {
        await connection.stop()
      }
    },
    language,
    exit_code: () => (failed ? 1 : 0),
  }
}

export const lineIn = (line: CliLine, language: Locale): string =>
  typeof line === 'string' ? line : typeset(line[language], language)

type Asked = Readonly<{ json?: true; language?: Locale }>

/** What a program reads does not change with the terminal that it was started from. */
function languageOf({ json, language }: Asked, env: CliIo['env']): Locale {
  if (language !== undefined) return language
  if (json === true) return 'en'
  const set = [env['LC_ALL'], env['LC_MESSAGES'], env['LANG']].find(Boolean) ?? ''
  return /^fr(?![a-z])/i.test(set) ? 'fr' : 'en'
}

/** Merchants' rows are with their groups for a command, too. One that migrates is at control. */
async function placeOn(connection: Connection, db: Db, how: OpenOptions): Promise<void> {
  // What cannot be read now (no schema, no server) the command says in its own words.
  const readMap = async (): Promise<readonly Group[]> => {
    try {
      return await listGroups(db)
    } catch {
      return []
    }
  }
  const open = (group: Group) => connection.open('pirogue_app', { ...how, group })
  const onAway = (error: unknown): never => {
    throw error
  }
  await placePools({ readMap, onAway }, [{ control: db, open }])
}

/** A command that seals nothing needs no SECRET_KEY beside DATABASE_URL: it is then null. */
function configOf(env: CliIo['env']): Config {
  const reading = readConfig(env, 'command')
  if (reading.is === 'config') return reading.config
  const stand_in = { ...env, SECRET_KEY: Buffer.alloc(32).toString('base64') }
  const second = env['SECRET_KEY'] ? reading : readConfig(stand_in, 'command')
  if (second.is === 'mistakes') throw new Error(second.lines.join(' '))
  return { ...second.config, secret_key: null }
}
