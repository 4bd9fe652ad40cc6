// What a command runs in: the configuration, a database for as long as it lasts, one way to print.

import type { Command } from 'commander'
import { pino } from 'pino'
import { type Config, readConfig } from '../../platform/config.ts'
import type { Db } from '../../platform/db.ts'
import { type ConnectRole, connect } from '../connect.ts'

export type CliIo = Readonly<{
  env: Readonly<Record<string, string | undefined>>
  /** One line of standard output. */
  out: (line: string) => void
  /** One line of standard error. */
  err: (line: string) => void
}>

/** What a command has to say: as data, and in lines for a person. */
export type Said = Readonly<{
  json: unknown
  lines: readonly string[]
  /** True when what was looked at is wrong: the exit code is then 1. */
  failed?: boolean
}>

export type Session = Readonly<{
  /** Prints what a command without a database says. */
  say(said: Said): void
  /** Runs `work` on the database under this role, and prints what it says. */
  withDb(role: ConnectRole, work: (db: Db) => Promise<Said>): Promise<void>
  exit_code(): number
}>

export function session(io: CliIo, program: Command): Session {
  let failed = false
  const say = (said: Said): void => {
    if (said.failed === true) failed = true
    if (program.opts()['json'] === true) io.out(JSON.stringify(said.json))
    else for (const line of said.lines) io.out(line)
  }
  return {
    say,
    async withDb(role, work) {
      const connection = await connect(configOf(io.env), pino({ level: 'silent' }))
      try {
        const name = 'pirogue-cli'
        say(await work(connection.open(role, { connections_max: 2, durable: true, name })))
      } finally {
        await connection.stop()
      }
    },
    exit_code: () => (failed ? 1 : 0),
  }
}

/** A command seals nothing, so it needs no SECRET_KEY beside DATABASE_URL. */
function configOf(env: CliIo['env']): Config {
  const reading = readConfig(env)
  if (reading.is === 'config') return reading.config
  const lines = reading.lines.filter((line) => !isSecretMissing(line, env))
  if (lines.length > 0) throw new Error(lines.join(' '))
  const filled = readConfig({ ...env, SECRET_KEY: Buffer.alloc(32).toString('base64') })
  if (filled.is === 'mistakes') throw new Error(filled.lines.join(' '))
  return filled.config
}

const isSecretMissing = (line: string, env: CliIo['env']): boolean =>
  line.startsWith('SECRET_KEY:') && (env['SECRET_KEY'] ?? '').trim() === ''
