// `/admin/gateway-balances/`: what each account with an operator holds, and below what it is low.

import { type Static, Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { invalid } from '../platform/errors.ts'
import { sortedPage } from '../platform/http/lists.ts'
import { type Input, ok, type Route } from '../platform/http/route.ts'
import { numberList } from '../platform/http/route-list.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { PriceInput, readPrice } from '../pricing/admin/read-price.ts'
import { listBalances } from './balance-store.ts'
import { BalanceView, balanceExample, orNull, viewBalance } from './balance-view.ts'
import type { OnRoom } from './read-balances.ts'
import { watchBalance } from './watch-balance.ts'

const WatchBody = Type.Object(
  {
    gateway: Type.String({ minLength: 1, maxLength: 100, description: 'Gateway code.' }),
    wallet: Type.String({ minLength: 1, maxLength: 100, description: 'As the list names it.' }),
    currency: Type.String({ pattern: '^[A-Z]{3}$', maxLength: 3 }),
    low_below: orNull(PriceInput, 'Below it the balance is low; null: it never is.'),
    payouts_wait_in: Type.Optional(
      orNull(
        Type.String({ pattern: '^[A-Za-z]{2}$' }),
        'The country whose payouts through this account wait while it is low; null: none do.',
      ),
    ),
  },
  { title: 'GatewayBalanceWatch' },
)

export type BalanceRouteDeps = Readonly<{
  db: Db
  onRoom: OnRoom
}>

export const balanceRoutes = (deps: BalanceRouteDeps): Route[] => [
  {
    path: '/admin/gateway-balances/',
    access: 'staff',
    staff: 'read',
    ...numberList(BalanceView, balanceExample),
    summary: 'List what accounts with operators hold',
    description:
      'As each operator last reported them, one row per wallet: one for payments and payouts ' +
      'alike at some, one for each at others.',
    tag: 'Staff',
    handler: async (input) => {
      const rows = await listBalances(deps.db, input.person.environment)
      return ok(sortedPage(input, { rows, fields: ['read_at'], view: viewBalance }))
    },
  },
  {
    method: 'PUT',
    path: '/admin/gateway-balances/',
    access: 'staff',
    staff: 'gateways',
    body: WatchBody,
    summary: 'Set the threshold below which a balance is low',
    description:
      'While it is low, staff are warned. With `payouts_wait_in` the float of that country is ' +
      'marked as empty then, so that its payouts take another route or wait, and as refilled ' +
      'when the balance is no longer low, unless somebody has marked it meanwhile.',
    tag: 'Staff',
    responses: { 200: BalanceView },
    errors: [transportErrors.not_found],
    example: {
      body: {
        ...{ gateway: balanceExample.gateway, wallet: balanceExample.wallet, currency: 'XOF' },
        ...{ low_below: '500000', payouts_wait_in: 'BJ' },
      },
      reply: balanceExample,
    },
    handler: async ({ person, body }: Input<Static<typeof WatchBody>>) => {
      const { gateway, wallet, currency } = body
      const low_below = readLimit(body.low_below)
      const country = body.payouts_wait_in?.toUpperCase() ?? null
      // Payouts that wait for nothing would wait for ever.
      const payouts_wait_in = low_below === null ? null : country
      const request = { gateway, wallet, currency, low_below, payouts_wait_in }
      return ok(viewBalance(await watchBalance(deps, person, request)))
    },
  },
]

/** Zero is as none. Throws a 400 by field. */
function readLimit(text: string | null): bigint | null {
  if (text === null) return null
  // Sandboxes of operators have currencies of their own: the form alone is checked.
  const reading = readPrice(text, undefined)
  if (reading.is === 'invalid') throw invalid('low_below', reading.text)
  return reading.hundredths === 0n ? null : reading.hundredths
}
