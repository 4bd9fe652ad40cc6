// One clear line for any error: what it is and what to do, without a stack or a secret.

import { CommanderError } from 'commander'
import postgres from 'postgres'
import { InvalidAccount } from '../../gateways/account-settings.ts'
import { Invalid, Refusal } from '../../platform/errors.ts'

const notSetUp =
  'The database is not set up yet: run `npm run cli -- migrate` and `npm run cli -- seed` first.'

export function describeError(error: unknown): string {
  if (error instanceof Refusal) return (error.detail.message ?? error.row.message).en
  if (error instanceof InvalidAccount) return oneLine(error.message)
  if (error instanceof Invalid) return describeInvalid(error)
  if (error instanceof CommanderError) return describeUsage(error)
  if (error instanceof postgres.PostgresError) return describeDatabase(error)
  if (!(error instanceof Error)) return String(error)
  const code = codeOf(error)
  if (/^(ECONN|ENOTFOUND|EHOST|ETIMEDOUT|CONNECT)/.test(code)) {
    return `The database cannot be reached (${code}).`
  }
  return oneLine(error.message || error.name)
}

const describeInvalid = ({ fields }: Invalid): string =>
  Object.entries(fields)
    .map(([field, texts]) => `${field}: ${texts.map((text) => text.en).join(' ')}`)
    .join(' ')

const describeUsage = ({ message }: CommanderError): string =>
  oneLine(message.replace(/^error: /, ''))

function describeDatabase(error: postgres.PostgresError): string {
  const lacksRole = /role "pirogue_\w+" does not exist/.test(error.message)
  const lacksTable = error.code === '42P01'
  return lacksRole || lacksTable ? notSetUp : `The database refused: ${oneLine(error.message)}`
}

function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error instanceof AggregateError && error.errors[0] instanceof Error) {
    return codeOf(error.errors[0])
  }
  return ''
}

const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' ')
