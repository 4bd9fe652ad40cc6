// The accounting journal of a period, and the accounts it is written in.

import { Type } from 'typebox'
import { csv_type, csvForm, csvQuery } from '../../platform/csv.ts'
import type { Db } from '../../platform/db.ts'
import { invalid } from '../../platform/errors.ts'
import { type Input, ok, type ServedRoute } from '../../platform/http/route.ts'
import { type Listed, reads, routesWith } from '../../platform/http/route-list.ts'
import { dayOf } from '../day.ts'
import { type Accounts, AccountsSchema, defaultAccounts } from './accounts.ts'
import { changeAccounts, readAccounts } from './change-accounts.ts'
import { writeJournal } from './write-journal.ts'

export type JournalDeps = Readonly<{
  db: Db
  /** Milliseconds since 1970. */
  clock: () => number
}>

export const journalRoutes = (deps: JournalDeps): ServedRoute[] =>
  routesWith({ tag: 'Reports', access: 'any' }, [
    journalRoute(deps),
    accountsRoute(deps),
    changeRoute(deps),
  ])

const journalRoute = ({ db, clock }: JournalDeps): Listed<ServedRoute> => ({
  method: 'GET',
  path: '/reports/journal/',
  query: Type.Object({
    from: Type.String({ format: 'date', description: 'First day (UTC).' }),
    to: Type.String({
      format: 'date',
      description: 'Last day (UTC); one in the future is read as today.',
    }),
    ...csvQuery,
  }),
  summary: 'Export your accounting journal',
  description:
    'CSV: one line for each account that an entry debits or credits, in the accounts of ' +
    '`/reports/journal/accounts/`. Each entry (`piece`) balances. Today’s entries may still ' +
    'grow.',
  responses: { 200: Type.String({ contentMediaType: 'text/csv' }) },
  example: {},
  handler: async ({ caller, query }) => {
    const { from = '' } = query
    const now = new Date(clock())
    const today = now.toISOString().slice(0, 10)
    const asked = query['to'] ?? ''
    const to = asked > today ? today : asked
    const first = dayOf(from, now, 'from')
    const last = dayOf(to, now, 'to')
    if (last.from < first.from) throw invalid('to', beforeFrom)
    const { merchant_id, environment } = caller
    const accounts = await readAccounts(db, merchant_id)
    const period = { merchant_id, environment, from: first.from, to: last.to }
    const filename = `journal-${from}-${to}-${environment.toLowerCase()}.csv`
    const file = writeJournal(db, { ...period, form: csvForm(query) }, accounts)
    return { status: 200, file, content_type: csv_type, filename }
  },
})

const beforeFrom = {
  en: 'Must not be before `from`.',
  fr: 'Ne doit pas précéder `from`.',
}

const accountsRoute = ({ db }: JournalDeps): Listed => ({
  path: '/reports/journal/accounts/',
  summary: 'Retrieve the accounts of your journal',
  ...reads(AccountsSchema, defaultAccounts),
  handler: async ({ caller }) => ok(await readAccounts(db, caller.merchant_id)),
})

const changeRoute = ({ db }: JournalDeps): Listed => ({
  method: 'PUT',
  path: '/reports/journal/accounts/',
  access: 'dashboard',
  permission: 'settings',
  body: Type.Partial(AccountsSchema, { title: 'JournalAccountsChange' }),
  summary: 'Set the accounts of your journal',
  description: 'A line that is omitted is reset to its default. The numbers are SYSCOHADA’s.',
  responses: { 200: AccountsSchema },
  example: { body: { sales: '701' }, reply: { ...defaultAccounts, sales: '701' } },
  handler: async ({ caller, body }: Input<Partial<Accounts>>) =>
    ok(await changeAccounts(db, caller, body)),
})
