// `gateway hours`, `close`, `reopen`: when an account is open, in one country and direction. As
// off: one person may close, and what the operator has is asked about until it ends. In LIVE a
// closing is lifted and hours are changed by staff, in the API: that lets money through again.

import type { Command } from 'commander'
import { systemActor } from '../../audit/audit.ts'
import type { FoundGateway } from '../../gateways/account-store.ts'
import type { Direction } from '../../gateways/gateway.ts'
import { closingText, hoursText } from '../../gateways/hours-findings.ts'
import { listClosings, listHours } from '../../gateways/hours-store.ts'
import { type OpenWindow, readClock } from '../../gateways/opening-hours.ts'
import { type Author, closeAccount, liftClosing, setHours } from '../../gateways/set-hours.ts'
import type { Db } from '../../platform/db.ts'
import type { Text } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { wordFrom } from './arguments.ts'
import type { CliOutput } from './session.ts'

/** Runs a command on the account of a code. */
export type WithAccount = (
  code: string,
  work: (found: Readonly<{ db: Db; account: FoundGateway }>) => Promise<CliOutput>,
) => Promise<void>

const directions = wordFrom(['COLLECT', 'DISBURSE'])
const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN']

const byCommand = ({ environment }: FoundGateway): Author => ({
  environment,
  actor: systemActor,
  person_id: null,
})

type Place = Readonly<{ country: string; direction?: Direction }>
type HoursOptions = Place & Readonly<{ open?: readonly string[]; always?: true }>
type CloseOptions = Place & Readonly<{ until?: string; why?: string }>

export function addHoursCommands(gateway: Command, withAccount: WithAccount): void {
  gateway
    .command('hours <code>')
    .description('show the opening hours and closings of an account, or set its hours')
    .option('--country <code>', 'two letters, such as BJ')
    .option('--direction <direction>', 'COLLECT or DISBURSE', directions)
    .option('--open <hours...>', 'such as MON-FRI,06:00-22:00; in the country’s own time')
    .option('--always', 'open at every hour')
    .action((code: string, options: Partial<HoursOptions>) =>
      withAccount(code, async ({ db, account }) => {
        if (options.open === undefined && options.always === undefined) return shown(db, account)
        const { country, direction } = options
        if (country === undefined || direction === undefined) {
          throw new Error('Name the country and the direction whose hours these are.')
        }
        requireStaff(account, 'The hours of a LIVE account are changed by staff, in the API.')
        const windows = (options.open ?? []).flatMap(windowsIn)
        const request = { gateway: code, country: country.toUpperCase(), direction, windows }
        await setHours(db, byCommand(account), request)
        return shown(db, account)
      }),
    )
  gateway
    .command('close <code>')
    .description('send nothing new to an account in one country, until then or until it is lifted')
    .requiredOption('--country <code>', 'two letters, such as BJ')
    .option('--direction <direction>', 'COLLECT or DISBURSE; both without it', directions)
    .option('--until <moment>', 'such as 2026-11-22T06:00:00Z')
    .option('--why <reason>', 'for staff and the audit log')
    .action((code: string, { country, direction, until, why }: CloseOptions) =>
      withAccount(code, async ({ db, account }) => {
        const ends_at = until === undefined ? null : momentOf(until)
        const made = await closeAccount(db, byCommand(account), {
          ...{ gateway: code, country: country.toUpperCase(), direction: direction ?? null },
          ...{ from_at: null, ends_at, note: why ?? '' },
        })
        return {
          json: { id: made.id, code, country: made.country, direction: made.direction, ends_at },
          lines: [closedLine(code, made.country, ends_at), reopenLine(code, made.id)],
        }
      }),
    )
  gateway
    .command('reopen <code> <closing>')
    .description('lift a closing of an account (SANDBOX)')
    .action((code: string, closing: string) =>
      withAccount(code, async ({ db, account }) => {
        requireStaff(account, 'A LIVE account is opened again by staff, in the API, not here.')
        if (!isUuid(closing)) throw new Error(`${closing} is no closing.`)
        await liftClosing(db, byCommand(account), closing.toLowerCase())
        return { json: { code, id: closing }, lines: [openLine(code)] }
      }),
    )
}

/** Without its zone a moment would be one of this machine's clock, wherever that stands. */
function momentOf(until: string): Date {
  const moment = /(?:Z|[+-]\d\d:\d\d)$/i.test(until) ? new Date(until) : undefined
  if (moment === undefined || Number.isNaN(moment.getTime())) {
    throw new Error('--until: write a moment with its zone, such as 2026-11-22T06:00:00Z.')
  }
  return moment
}

function requireStaff({ environment }: FoundGateway, why: string): void {
  if (environment === 'LIVE') throw new Error(why)
}

/** `MON-FRI,06:00-22:00` or `SUN,08:00-12:00`. */
function windowsIn(text: string): OpenWindow[] {
  const form = /^([A-Z]{3})(?:-([A-Z]{3}))?,(\d\d:\d\d)-(\d\d:\d\d)$/
  const [, first = '', last = first, opens = '', closes = ''] = form.exec(text.toUpperCase()) ?? []
  const [from, to] = [days.indexOf(first), days.indexOf(last)]
  const [opens_min, closes_min] = [readClock(opens), readClock(closes)]
  if (from < 0 || to < from || opens_min === undefined || closes_min === undefined) {
    throw new Error(`--open ${text}: write days and hours as MON-FRI,06:00-22:00.`)
  }
  return days
    .slice(from, to + 1)
    .map((_, at) => ({ weekday: from + at + 1, opens_min, closes_min }))
}

async function shown(db: Db, { code, environment }: FoundGateway): Promise<CliOutput> {
  const ofAccount = <R extends Readonly<{ gateway_code: string }>>(rows: readonly R[]) =>
    rows.filter(({ gateway_code }) => gateway_code === code)
  const hours = ofAccount(await listHours(db, environment))
  const closings = ofAccount(await listClosings(db, environment))
  const lines = [
    ...hours.map(hoursText),
    ...closings.map((one) => {
      const { en, fr } = closingText(one)
      return { en: `closed ${en} ${one.id}`, fr: `fermé ${fr} ${one.id}` }
    }),
  ]
  return { json: { code, hours, closings }, lines: lines.length === 0 ? [alwaysLine(code)] : lines }
}

const alwaysLine = (code: string): Text => ({
  en: `${code} is open at every hour.`,
  fr: `${code} est ouvert à toute heure.`,
})

const openLine = (code: string): Text => ({
  en: `${code} is open again.`,
  fr: `${code} est de nouveau ouvert.`,
})

function reopenLine(code: string, id: string): Text {
  const command = `npm run cli -- gateway reopen ${code} ${id}`
  return { en: `Open it again: ${command}`, fr: `Pour le rouvrir : ${command}` }
}

const closedLine = (code: string, country: string, ends_at: Date | null): Text =>
  ends_at === null
    ? {
        en: `${code} is closed in ${country} until it is lifted.`,
        fr: `${code} est fermé pour ${country} jusqu’à ce que la fermeture soit levée.`,
      }
    : {
        en: `${code} is closed in ${country} until ${ends_at.toISOString()}.`,
        fr: `${code} est fermé pour ${country} jusqu’au ${ends_at.toISOString()}.`,
      }
