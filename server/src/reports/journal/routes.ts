// The accounting journal of a period, and the accounts it is written in.

import { Type } from 'typebox'
import { csvForm, csvQuery } from '../../platform/csv.ts'
import type { Db } from '../../platform/db.ts'
import { reportLabelQuery } from '../../platform/export/file-label.ts'
import { type Input, ok, type ServedRoute } from '../../platform/http/route.ts'
import { type Listed, reads, routesWith } from '../../platform/http/route-list.ts'
import { readPeriod } from '../day.ts'
import { type Accounts, AccountsSchema, accountsByDefault } from './accounts.ts'
import { changeAccounts, readAccounts } from './change-accounts.ts'
import { type Layout, odooLayout, ownLayout, sageLayout } from './layouts.ts'
import { writeJournal } from './write-journal.ts'

export type JournalDeps = Readonly<{
  db: Db
  /** What is read for long goes beside what moves money. */
  reads: Db
}>

const JournalQuery = Type.Object({
  from: Type.String({
    format: 'date',
    description: 'The first day, in the merchant’s time zone.',
  }),
  to: Type.String({
    format: 'date',
    description: 'The last day, in the merchant’s time zone; one in the future is read as today.',
  }),
  format: Type.Optional(
    Type.Enum(['csv', 'odoo', 'sage'], {
      description:
        '`odoo`, `sage`: as these programs import entries; `locale` is then of the labels ' +
        'alone. Defaults to csv.',
    }),
  ),
  journal: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9]{1,6}$',
      description: 'The code of the journal in your books, for `odoo` and `sage`. Defaults to OD.',
      'x-message': {
        en: 'Must be a journal’s code of 1 to 6 letters and digits, such as OD.',
        fr: 'Doit être le code d’un journal, de 1 à 6 lettres et chiffres, par exemple OD.',
      },
    }),
  ),
  grouping: Type.Optional(
    Type.Enum(['piece', 'day'], {
      description:
        '`day`: one piece a day for each country and kind of movement, with the sums of its ' +
        'lines and how many there are. Defaults to piece.',
    }),
  ),
  country: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{2}$',
      description: 'Only this country: books are kept in one currency. ISO 3166 alpha-2.',
      'x-message': {
        en: 'Must be a 2-letter code such as BJ.',
        fr: 'Doit être un code de 2 lettres, par exemple BJ.',
      },
    }),
  ),
  ...csvQuery,
  ...reportLabelQuery,
})

export const journalRoutes = (deps: JournalDeps): ServedRoute[] =>
  routesWith({ tag: 'Reports', access: 'any' }, [
    journalRoute(deps),
    accountsRoute(deps),
    changeRoute(deps),
  ])

const journalRoute = ({ reads: db }: JournalDeps): Listed<ServedRoute> => ({
  method: 'GET',
  path: '/reports/journal/',
  takes_turns: true,
  query: JournalQuery,
  summary: 'Export your accounting journal',
  description:
    'CSV: one line for each account that an entry debits or credits, in the accounts of ' +
    '`/reports/journal/accounts/`. Each entry (`piece`) balances. A day ends at midnight in its ' +
    '`time_zone`. Labels are in French, with `locale=en` in English. Today’s entries may ' +
    'still grow. `third_party` is the code that `third_parties` names for the line. With ' +
    '`grouping=day`, totals of days in place of each operation. With `format=odoo` or ' +
    '`format=sage`, what these programs import as it is.',
  sends: ['Content-Disposition'],
  responses: { 200: Type.String({ contentMediaType: 'text/csv' }) },
  also: { 'text/plain': Type.String() },
  example: {},
  handler: async ({ caller, query }) => {
    const { merchant_id, environment } = caller
    const { from: first = '', to: last = '' } = query
    const days = await readPeriod(db, merchant_id, { first, last })
    const accounts = await readAccounts(db, merchant_id)
    const layout = layoutOf(query, accounts)
    const { content_type, ending } = layout
    const { file_label: label = `${days.first}-${days.last}-${environment.toLowerCase()}` } = query
    const filename = `journal-${label}${ending}`
    const country = query['country']?.toUpperCase()
    const grouping = query['grouping'] === 'day' ? 'day' : 'piece'
    const period = { ...days, merchant_id, environment, layout, country, grouping } as const
    const file = writeJournal(db, period, accounts)
    return { status: 200, file, content_type, filename }
  },
})

function layoutOf(query: Readonly<Record<string, string>>, { third_parties }: Accounts): Layout {
  const locale = query['locale'] === 'en' ? 'en' : 'fr'
  const { format, journal = 'OD' } = query
  const has_third_parties = Object.keys(third_parties).length > 0
  if (format === 'odoo') return odooLayout({ locale, journal, has_third_parties })
  if (format === 'sage') return sageLayout({ locale, journal, has_third_parties })
  return ownLayout(csvForm(query), locale)
}

const accountsRoute = ({ reads: db }: JournalDeps): Listed => ({
  path: '/reports/journal/accounts/',
  summary: 'Retrieve the accounts of your journal',
  ...reads(AccountsSchema, accountsByDefault),
  handler: async ({ caller }) => ok(await readAccounts(db, caller.merchant_id)),
})

const changeRoute = ({ db }: JournalDeps): Listed => ({
  method: 'PUT',
  path: '/reports/journal/accounts/',
  access: 'dashboard',
  permission: 'settings',
  body: Type.Partial(AccountsSchema, { title: 'JournalAccountsChange' }),
  summary: 'Set the accounts of your journal',
  description:
    'A line that is omitted is reset to its default, a third party to none. The numbers are ' +
    'SYSCOHADA’s.',
  responses: { 200: AccountsSchema },
  example: { body: { sales: '701' }, reply: { ...accountsByDefault, sales: '701' } },
  handler: async ({ caller, body }: Input<Partial<Accounts>>) =>
    ok(await changeAccounts(db, caller, body)),
})
