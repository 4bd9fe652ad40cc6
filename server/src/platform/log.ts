// The log of the process: JSON, a line each, to one place; on a terminal, lines for people. Law: an
// error is described in one way wherever it is logged, so that no row, value or secret that it
// carries is written.

import { type DestinationStream, type Logger, pino } from 'pino'
import type { PrettyOptions } from 'pino-pretty'
import postgres from 'postgres'

export function makeLog(level: string, to: DestinationStream): Logger {
  return pino({ level, base: null, serializers: { err: describeError } }, to)
}

/** Standard error: JSON for whoever collects it, readable lines where a person looks on. */
export const logDestination = async (is_terminal: boolean): Promise<DestinationStream> =>
  is_terminal ? readableLines({ destination: 2 }) : pino.destination(2)

/** What the sentence of a line says already, or only a search needs. */
const not_repeated =
  'pid,hostname,request_id,method,route,status,ms,ip,ua,merchant_id,environment,api_key_id,refused'

/** `[11:28:19] INFO: POST /api/v1/payouts/initialize/ 422 invalid_method 6 ms req=…`. */
export async function readableLines(
  to: Pick<PrettyOptions, 'destination'>,
): Promise<DestinationStream> {
  // Only here: a start that nobody looks at need not load it.
  const { default: pretty } = await import('pino-pretty')
  return pretty({
    ...to,
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: not_repeated,
    messageFormat: (line, key) => (isAnswer(line) ? answerText(line) : String(line[key] ?? '')),
  })
}

const isAnswer = (line: Record<string, unknown>) => line['status'] !== undefined

function answerText(line: Record<string, unknown>): string {
  const { method, route = '(no route)', status, refused, ms, request_id } = line
  const parts = [method, route, status, refused, `${ms} ms`, `req=${request_id}`]
  return parts.filter((part) => part !== undefined).join(' ')
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
