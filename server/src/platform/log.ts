// The log of the process: JSON, a line each, to one place. Law: an error is described in one way
// wherever it is logged, so that no row, value or secret that it carries is written.

import { type DestinationStream, type Logger, pino } from 'pino'
import postgres from 'postgres'

export function makeLog(level: string, to: DestinationStream): Logger {
  return pino({ level, base: null, serializers: { err: describeError } }, to)
}

/**
 * What the log may contain of an error: its kind, its code, where it was thrown. PostgreSQL's
 * `detail` holds whole rows, its `where` and `query` hold values, and so do the messages of class
 * 22.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const code = 'code' in error ? { error_code: error.code } : {}
  const message = messageOf(error)
  const described = { type: error.name, message, stack: framesOf(error), ...code }
  if (!(error instanceof postgres.PostgresError)) return described
  const { table_name, column_name, constraint_name } = error
  return { ...described, table: table_name, column: column_name, constraint: constraint_name }
}

function messageOf(error: Error): string {
  const isValue = error instanceof postgres.PostgresError && error.code.startsWith('22')
  return isValue ? 'a value was refused' : error.message
}

/** Without the first lines, which repeat the message. */
const framesOf = ({ stack = '' }: Error): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
