// `/merchant-payout-limits/`: what a merchant lets its own keys and members pay out.

import { type Static, Type } from 'typebox'
import { amountFaultText, parseAmount } from '../../money/parse-amount.ts'
import { paymentErrors } from '../../payments/errors.ts'
import type { PaymentDeps } from '../../payments/initialize-softpay.ts'
import { AmountInput } from '../../payments/softpay-body.ts'
import { Invalid, refuse, type Text } from '../../platform/errors.ts'
import { numberPageSchema, numberQuery } from '../../platform/http/pages.ts'
import { created, type Input, noContent, ok } from '../../platform/http/route.ts'
import type { ServedRoute } from '../../platform/http/served-route.ts'
import { sortedPage } from '../../platform/http/sorted-page.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { dropLimit, getLimit, setLimit, viewLimit } from './set-limit.ts'
import { listLimits } from './store.ts'

const tag = 'Payouts'

const LimitBody = Type.Object(
  {
    country: Type.String({ minLength: 2, maxLength: 2 }),
    api_key: Type.Optional(Type.String({ format: 'uuid', description: 'Absent: all of them.' })),
    per_payout: Type.Optional(AmountInput),
    per_day: Type.Optional(AmountInput),
    approval_above: Type.Optional(AmountInput),
  },
  { title: 'PayoutLimitSet' },
)

const amount = Type.Union([Type.String(), Type.Null()])
const LimitSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    merchant: Type.String({ format: 'uuid' }),
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    country: Type.String(),
    currency: Type.String(),
    api_key: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
    per_payout: amount,
    per_day: amount,
    approval_above: amount,
    created_by_member: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'PayoutLimit' },
)

const example = {
  id: '01981f3a-0000-7000-8000-000000000001',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  environment: 'SANDBOX',
  currency: 'XOF',
  country: 'BJ',
  api_key: null,
  per_payout: '500000.00',
  per_day: '2000000.00',
  approval_above: '200000.00',
  created_by_member: '01981f3a-0000-7000-8000-00000000b001',
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
}

type Figure = 'per_payout' | 'per_day' | 'approval_above'
const figures: readonly Figure[] = ['per_payout', 'per_day', 'approval_above']

const nothingSet: Text = {
  en: 'Set at least one of per_payout, per_day and approval_above.',
  fr: 'Fixez au moins per_payout, per_day ou approval_above.',
}
const ofMerchantOnly: Text = {
  en: 'Can only be set for the whole merchant: leave api_key out.',
  fr: 'Ne se fixe que pour tout le marchand : omettez api_key.',
}

type Body = Static<typeof LimitBody>

/** Throws what is wrong with the figures, all at once. */
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

const open = { access: 'dashboard', tag } as const
const write = { ...open, permission: 'settings', second_factor: 'environment' } as const

export const limitRoutes = (deps: PaymentDeps): ServedRoute[] => [
  {
    ...open,
    method: 'GET',
    path: '/merchant-payout-limits/',
    query: Type.Object(numberQuery),
    summary: 'List limits on payouts',
    responses: { 200: numberPageSchema(LimitSchema) },
    example: { reply: { count: 1, next: null, previous: null, results: [example] } },
    handler: async (input) => {
      const rows = await listLimits(deps.db, input.caller)
      return ok(sortedPage(input, { rows, fields: ['created_at'], view: viewLimit }))
    },
  },
  {
    ...write,
    method: 'POST',
    path: '/merchant-payout-limits/',
    body: LimitBody,
    summary: 'Set a limit on payouts',
    description: 'In place of the limit of the same country and key, if there is one.',
    responses: { 201: LimitSchema },
    errors: [paymentErrors.invalid_country],
    example: {
      body: { country: 'BJ', per_payout: '500000', per_day: '2000000', approval_above: '200000' },
      reply: example,
    },
    handler: async ({ caller, body }: Input<Body>) => {
      const catalogue = await deps.catalogue(caller.catalogue_version)
      const country = catalogue.countryByCode(body.country)
      if (country === undefined) throw refuse(paymentErrors.invalid_country)
      const currency = country.default_currency
      const limit = await setLimit(deps.db, caller, {
        country: country.iso_code,
        currency,
        api_key: body.api_key ?? null,
        ...readFigures(body, currency),
      })
      return created(viewLimit(limit))
    },
  },
  {
    ...open,
    method: 'GET',
    path: '/merchant-payout-limits/:id/',
    summary: 'Read a limit on payouts',
    responses: { 200: LimitSchema },
    errors: [transportErrors.permission_denied],
    example: { reply: example },
    handler: async ({ caller, params }) =>
      ok(viewLimit(await getLimit(deps.db, caller, params['id'] ?? ''))),
  },
  {
    ...write,
    method: 'DELETE',
    path: '/merchant-payout-limits/:id/',
    summary: 'Drop a limit on payouts',
    responses: { 204: null },
    errors: [transportErrors.permission_denied],
    example: {},
    handler: async ({ caller, params }) => {
      await dropLimit(deps.db, caller, params['id'] ?? '')
      return noContent
    },
  },
]
