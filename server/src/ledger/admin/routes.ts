// Staff read the merchants' balances, freeze and unfreeze them (contract 5.12). The header
// X-Environment chooses the environment: a balance of the other one is not found.

import { type Static, Type } from 'typebox'
import { checkDecimal } from '../../money/parse-amount.ts'
import type { Db } from '../../platform/db.ts'
import { orderingFilter, uuidFilter, uuidParam } from '../../platform/http/filters.ts'
import { readKey } from '../../platform/http/headers.ts'
import { listByNumber } from '../../platform/http/lists.ts'
import { type Input, ok, replayed, type ServedRoute } from '../../platform/http/route.ts'
import { type Listed, numberList, orderingBy, routesWith } from '../../platform/http/route-list.ts'
import { idempotencyErrors } from '../../platform/idempotency/run-once.ts'
import { BalanceView, balanceExample, viewBalance } from '../view.ts'
import { balanceErrors, freezeBalance } from './freeze-balance.ts'
import { balanceSortFields, listBalances, type MerchantsBalance } from './store.ts'

export type Deps = Readonly<{ db: Db }>

const BalanceOfMerchant = Type.Object(
  { ...BalanceView.properties, merchant_name: Type.String() },
  { title: 'BalanceOfMerchant' },
)
const example = { ...balanceExample, merchant_name: 'Boutique Awa' }

// Many clients send a number; it is read as its decimal text (contract 2.1).
const asNumber = Type.Unsafe<number>({ type: 'number' })

const FreezeBody = Type.Object({
  reason: Type.String({ minLength: 1, maxLength: 500 }),
  amount: Type.Optional(
    Type.Union([Type.String({ maxLength: 32 }), asNumber], {
      description: 'Decimal, in the balance’s currency. If omitted, the whole balance is frozen.',
      'x-message': {
        en: 'Must be an amount such as "5000" or "12.50".',
        fr: 'Doit être un montant comme "5000" ou "12.50".',
      },
    }),
  ),
})

export const balanceAdminRoutes = (deps: Deps): ServedRoute[] =>
  routesWith({ tag: 'Staff: balances', access: 'staff' }, [
    listRoute(deps),
    actRoute(deps, 'freeze'),
    actRoute(deps, 'unfreeze'),
  ])

const view = (balance: MerchantsBalance) => ({
  ...viewBalance(balance),
  merchant_name: balance.merchant_name,
})

const listRoute = ({ db }: Deps): Listed => ({
  path: '/admin/balances/',
  staff: 'read',
  ...numberList(BalanceOfMerchant, example, {
    merchant: Type.Optional(Type.String({ format: 'uuid' })),
    country: Type.Optional(Type.String({ description: 'ISO 3166 alpha-2.' })),
    ordering: orderingBy(balanceSortFields),
  }),
  summary: 'List the balances of all merchants',
  description: 'In the environment given by `X-Environment`.',
  handler: listByNumber(view, ({ query, person: { environment } }, cut) =>
    listBalances(db, {
      environment,
      merchant_id: uuidFilter(query, 'merchant'),
      country: query['country']?.toUpperCase(),
      order: orderingFilter(query, balanceSortFields, []),
      ...cut,
    }),
  ),
})

const texts = {
  freeze: {
    summary: 'Freeze a balance or part of it',
    description:
      'Without `amount`, no new outflow is accepted; payouts that a gateway already has ' +
      'continue, and credits still land. With `amount`, that sum moves from available to frozen.',
  },
  unfreeze: {
    summary: 'Unfreeze a balance or part of it',
    description:
      'Without `amount`, outflows are accepted again; with it, that sum becomes available.',
  },
} as const

const actRoute = ({ db }: Deps, how: 'freeze' | 'unfreeze'): Listed => ({
  ...texts[how],
  method: 'POST',
  path: `/admin/balances/:id/${how}/`,
  staff: 'balances',
  idempotent: true,
  body: FreezeBody,
  check: checkDecimal,
  responses: { 200: BalanceOfMerchant },
  errors: [balanceErrors.insufficient_balance, idempotencyErrors.idempotency_conflict],
  example: {
    body: { reason: 'Asked by the bank', amount: '5000' },
    reply: { ...example, frozen_amount: how === 'freeze' ? '5000.00' : '0.00' },
  },
  handler: async (input: Input<Static<typeof FreezeBody>>) => {
    const { body, headers, person } = input
    const request = { ...body, id: uuidParam(input, 'id'), how, key: readKey(headers) }
    const { balance, is_replayed } = await freezeBalance(db, person, request)
    return is_replayed ? replayed(200, view(balance)) : ok(view(balance))
  },
})
