// `/merchant-payout-limits/`: what a merchant lets its own keys and members pay out.

import { type Static, Type } from 'typebox'
import { CountryInput } from '../../catalogue/view.ts'
import { merchantErrors } from '../../merchants/errors.ts'
import { type ChangeRead, ChangeReadBody } from '../../merchants/settings/cooling-off.ts'
import { amountFaultText, parseAmount } from '../../money/parse-amount.ts'
import { paymentErrors } from '../../planning/errors.ts'
import type { PaymentDeps } from '../../planning/facts.ts'
import { AmountInput } from '../../planning/softpay-body.ts'
import { Invalid, refuse, type Text } from '../../platform/errors.ts'
import { sortedPage } from '../../platform/http/lists.ts'
import {
  type Caller,
  created,
  type Input,
  noContent,
  ok,
  type Reply,
  type ServedRoute,
} from '../../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  reads,
  routesWith,
  searchFilter,
} from '../../platform/http/route-list.ts'
import type { PayoutLimit } from './limit.ts'
import { cancelChange, confirmChange, mayConfirmChange } from './loosen-limit.ts'
import { dropLimit, getLimit, type LimitDeps, setLimit } from './set-limit.ts'
import { listLimits, usedTodayOf } from './store.ts'
import { LimitSchema, limitExample, pendingExample, viewLimit } from './view.ts'

const LimitBody = Type.Object(
  {
    country: CountryInput,
    api_key: Type.Optional(Type.String({ format: 'uuid', description: 'If omitted: all keys.' })),
    per_payout: Type.Optional(AmountInput),
    per_day: Type.Optional(AmountInput),
    approval_above: Type.Optional(AmountInput),
  },
  { title: 'PayoutLimitSet' },
)

type Figure = 'per_payout' | 'per_day' | 'approval_above'
const figures: readonly Figure[] = ['per_payout', 'per_day', 'approval_above']

const nothingSet: Text = {
  en: 'Set at least one of per_payout, per_day and approval_above.',
  fr: 'Fixez au moins per_payout, per_day ou approval_above.',
}
const ofMerchantOnly: Text = {
  en: 'Can only be set for the whole merchant: omit api_key.',
  fr: 'Ne peut être fixé que pour tout le marchand : omettez api_key.',
}

type Body = Static<typeof LimitBody>

/** Throws every error in the figures at once. */
function readFigures(body: Body, currency: string): Record<Figure, bigint | null> {
  const faults: Record<string, Text[]> = {}
  const read = (figure: Figure): bigint | null => {
    const given = body[figure]
    if (given === undefined) return null
    const reading = parseAmount(given, currency)
    if (reading.is === 'amount') return reading.hundredths
    faults[figure] = [amountFaultText[reading.why]]
    return null
  }
  const [per_payout = null, per_day = null, approval_above = null] = figures.map(read)
  const none = figures.every((figure) => body[figure] === undefined)
  if (none) for (const figure of figures) faults[figure] = [nothingSet]
  if (body.api_key !== undefined && approval_above !== null) {
    faults['approval_above'] = [ofMerchantOnly]
  }
  if (Object.keys(faults).length > 0) throw new Invalid(faults)
  return { per_payout, per_day, approval_above }
}

const open = {} as const
const write = { ...open, permission: 'settings', second_factor: 'environment' } as const

export const limitRoutes = (deps: PaymentDeps & LimitDeps): ServedRoute[] =>
  routesWith({ tag: 'Payouts', access: 'dashboard' }, [
    listRoute(deps),
    setRoute(deps),
    readRoute(deps),
    dropRoute(deps),
    confirmRoute(deps),
    cancelRoute(deps),
  ])

const fields = ['created_at'] as const
const words = ({ country, currency }: PayoutLimit) => [country, currency]

const listRoute = (deps: LimitDeps): Listed<ServedRoute> => ({
  ...open,
  path: '/merchant-payout-limits/',
  ...numberList(LimitSchema, limitExample, {
    search: searchFilter('Searches the country and the currency.'),
    ordering: orderingBy(fields),
  }),
  summary: 'List payout limits',
  handler: async (input) => {
    const rows = await listLimits(deps.db, input.caller)
    const used = await usedTodayOf(deps.db, input.caller, rows)
    const confirmable = new Set<string>()
    for (const limit of rows) {
      if (await mayConfirmChange(deps.db, input.caller, limit)) confirmable.add(limit.id)
    }
    const view = (limit: PayoutLimit) => {
      const { id } = limit
      return viewLimit(limit, { used: used.get(id) ?? 0n, may_confirm: confirmable.has(id) })
    }
    return ok(sortedPage(input, { rows, fields, words, view }))
  },
})

/** One of them, with what its day has used. */
async function shown({ db }: LimitDeps, caller: Caller, limit: PayoutLimit) {
  const used = await usedTodayOf(db, limit, [limit])
  const may_confirm = await mayConfirmChange(db, caller, limit)
  return viewLimit(limit, { used: used.get(limit.id) ?? 0n, may_confirm })
}

const setRoute = (deps: PaymentDeps & LimitDeps): Listed<ServedRoute> => ({
  ...write,
  method: 'POST',
  path: '/merchant-payout-limits/',
  body: LimitBody,
  summary: 'Set a payout limit',
  description:
    'Replaces the limit for the same country and key, if there is one. A stricter limit applies ' +
    'at once. For a merchant approved for LIVE, a looser one applies after the longer ' +
    'cooling-off period, and in LIVE after at least 24 hours, or when a second member confirms ' +
    'it; until then it is in `next`.',
  responses: { 201: LimitSchema },
  errors: [paymentErrors.invalid_country],
  example: {
    body: { country: 'BJ', per_payout: '500000', per_day: '5000000', approval_above: '200000' },
    reply: pendingExample,
  },
  handler: async ({ caller, body }: Input<Body>) => {
    const catalogue = await deps.catalogue(caller.catalogue_version)
    const country = catalogue.countryByCode(body.country)
    if (country === undefined) throw refuse(paymentErrors.invalid_country)
    const currency = country.default_currency
    const limit = await setLimit(deps, caller, {
      country: country.iso_code,
      currency,
      api_key: body.api_key ?? null,
      ...readFigures(body, currency),
    })
    return created(await shown(deps, caller, limit))
  },
})

const ofOne = {} as const
const idOf = ({ params }: Pick<Input, 'params'>): string => params['id'] ?? ''

const readRoute = (deps: LimitDeps): Listed<ServedRoute> => ({
  ...open,
  ...ofOne,
  path: '/merchant-payout-limits/:id/',
  summary: 'Retrieve a payout limit',
  ...reads(LimitSchema, limitExample),
  handler: async (input) =>
    ok(await shown(deps, input.caller, await getLimit(deps.db, input.caller, idOf(input)))),
})

/** Still there and to be dropped (`status`), or gone. */
const limitOrGone = async (
  deps: LimitDeps,
  caller: Caller,
  { limit, status }: Readonly<{ limit: PayoutLimit | undefined; status: number }>,
): Promise<Reply> =>
  limit === undefined ? noContent : { status, data: await shown(deps, caller, limit) }

const dropRoute = (deps: LimitDeps): Listed<ServedRoute> => ({
  ...write,
  ...ofOne,
  method: 'DELETE',
  path: '/merchant-payout-limits/:id/',
  summary: 'Delete a payout limit',
  description: 'At once (204), or once the wait is over if a looser limit has to wait (202).',
  responses: { 202: LimitSchema, 204: null },
  example: { reply: pendingExample },
  handler: async (input) => {
    const limit = await dropLimit(deps, input.caller, idOf(input))
    return limitOrGone(deps, input.caller, { limit, status: 202 })
  },
})

const confirmRoute = (deps: LimitDeps): Listed<ServedRoute> => ({
  ...write,
  method: 'POST',
  path: '/merchant-payout-limits/:id/confirm/',
  body: ChangeReadBody,
  summary: 'Confirm a looser limit, as a second member',
  description:
    'It takes effect at once; 204 if the request was to delete the limit. The member who ' +
    'requested it, and anyone whom that member invited, cannot confirm it.',
  responses: { 200: LimitSchema, 204: null },
  errors: [
    merchantErrors.no_pending_change,
    merchantErrors.pending_change_replaced,
    merchantErrors.second_member_required,
  ],
  example: { body: { effective_at: pendingExample.next.effective_at }, reply: limitExample },
  handler: async (input: Input<ChangeRead>) => {
    const confirming = { ...input.body, id: idOf(input) }
    const limit = await confirmChange(deps, input.caller, confirming)
    return limitOrGone(deps, input.caller, { limit, status: 200 })
  },
})

const cancelRoute = (deps: LimitDeps): Listed<ServedRoute> => ({
  ...write,
  method: 'POST',
  path: '/merchant-payout-limits/:id/cancel/',
  summary: 'Cancel a looser limit before it takes effect',
  responses: { 200: LimitSchema },
  errors: [merchantErrors.no_pending_change],
  example: { reply: limitExample },
  handler: async (input) =>
    ok(await shown(deps, input.caller, await cancelChange(deps, input.caller, idOf(input)))),
})
