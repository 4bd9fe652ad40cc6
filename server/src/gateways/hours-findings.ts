// What `gateway check` finds of when an account is open: its hours of the week, and what is closed
// by hand. Neither is a mistake; an account that is closed is no account that fails.

import type { Sql } from '../platform/db.ts'
import type { Text } from '../platform/errors.ts'
import type { FoundGateway } from './account-store.ts'
import { named, pass, warn } from './findings.ts'
import type { Finding } from './gateway.ts'
import { type ClosingRow, type HoursRow, listClosings, listHours } from './hours-store.ts'
import { type OpenWindow, writeClock } from './opening-hours.ts'

type Account = Pick<FoundGateway, 'code' | 'environment'>

const ofHours: Text = { en: 'opening hours', fr: 'heures d’ouverture' }
const ofClosings: Text = { en: 'closings', fr: 'fermetures' }

/** `now_ms`: milliseconds since 1970. */
export async function hoursFindings(
  db: Sql,
  { code, environment }: Account,
  now_ms: number,
): Promise<readonly Finding[]> {
  const ofAccount = ({ gateway_code }: Pick<HoursRow, 'gateway_code'>) => gateway_code === code
  const hours = (await listHours(db, environment)).filter(ofAccount)
  // One that was lifted before it began is empty.
  const closings = (await listClosings(db, environment)).filter(
    (one) => ofAccount(one) && one.ends_at?.getTime() !== one.from_at.getTime(),
  )
  return [
    pass(ofHours, hours.length === 0 ? always : listed(hours.map(hoursText))),
    closingsFinding(closings, { code, environment }, now_ms),
  ]
}

const always: Text = { en: 'open at every hour', fr: 'ouvert à toute heure' }

const listed = (all: readonly Text[]): Text => ({
  en: all.map(({ en }) => en).join('; '),
  fr: all.map(({ fr }) => fr).join(' ; '),
})

export const hoursText = ({ country, direction, windows }: HoursRow): Text => {
  const days = daysText(windows)
  return {
    en: `${country} ${direction} ${days.en}, in the country’s time`,
    fr: `${country} ${direction} ${days.fr}, heure du pays`,
  }
}

const days: readonly Text[] = [
  { en: 'Mon', fr: 'lun.' },
  { en: 'Tue', fr: 'mar.' },
  { en: 'Wed', fr: 'mer.' },
  { en: 'Thu', fr: 'jeu.' },
  { en: 'Fri', fr: 'ven.' },
  { en: 'Sat', fr: 'sam.' },
  { en: 'Sun', fr: 'dim.' },
]

/** Days that follow each other and are open at the same hours are one. */
function daysText(windows: readonly OpenWindow[]): Text {
  const hours = days.map((_, at) =>
    windows
      .filter(({ weekday }) => weekday === at + 1)
      .map(({ opens_min, closes_min }) => `${writeClock(opens_min)}-${writeClock(closes_min)}`)
      .join(' '),
  )
  const runs: { from: number; to: number }[] = []
  for (const [at, one] of hours.entries()) {
    const last = runs.at(-1)
    if (one === '') continue
    if (last?.to === at - 1 && hours[last.from] === one) last.to = at
    else runs.push({ from: at, to: at })
  }
  const textIn = (language: keyof Text) =>
    runs
      .map(({ from, to }) => {
        const [first = '', last = ''] = [days[from]?.[language], days[to]?.[language]]
        return `${from === to ? first : `${first}-${last}`} ${hours[from]}`
      })
      .join(', ')
  return { en: textIn('en'), fr: textIn('fr') }
}

function closingsFinding(
  closings: readonly ClosingRow[],
  { code, environment }: Account,
  now_ms: number,
): Finding {
  if (closings.length === 0) return pass(ofClosings, { en: 'none', fr: 'aucune' })
  const found = listed(closings.map(closingText))
  const now = closings.filter(({ from_at }) => from_at.getTime() <= now_ms)
  if (now.length === 0) return pass(ofClosings, found)
  if (environment === 'LIVE') return warn(ofClosings, found, byStaff)
  const commands = now.map(({ id }) => `npm run cli -- gateway reopen ${code} ${id}`)
  return warn(ofClosings, found, named(commands.join('; ')))
}

const byStaff: Text = {
  en: 'Nothing new is sent there until it ends, or staff lift it.',
  fr:
    'Rien de nouveau n’y est envoyé jusqu’à la fin de la fermeture, ou jusqu’à ce que l’équipe ' +
    'la lève.',
}

/** With the reason that whoever closed it gave. */
export function closingText({ country, direction, from_at, ends_at, note }: ClosingRow): Text {
  const where = direction === null ? country : `${country} ${direction}`
  const from = momentText(from_at)
  const until = ends_at === null ? lifted : toMoment(momentText(ends_at))
  const why = note === '' ? '' : ` (${note})`
  return {
    en: `${where} from ${from.en} until ${until.en}${why}`,
    fr: `${where} à partir du ${from.fr}, jusqu’${until.fr}${why}`,
  }
}

const lifted: Text = { en: 'it is lifted', fr: 'à sa levée' }
const toMoment = ({ en, fr }: Text): Text => ({ en, fr: `au ${fr}` })

/** To the minute, in UTC. */
function momentText(moment: Date): Text {
  const [day = '', time = ''] = moment.toISOString().slice(0, 16).split('T')
  const date = { en: day, fr: day.split('-').reverse().join('/') }
  return { en: `${date.en} ${time} UTC`, fr: `${date.fr} ${time} UTC` }
}
