// Gateways and routes as staff see them, field by field: nothing that a gateway is opened with, and
// of a route also how it fares.

import { type Static, Type } from 'typebox'
import { formatAmount } from '../money/format.ts'
import { formatPercent } from '../money/percent.ts'
import { findAdapter } from './adapters.ts'
import { senderListOf, senderRules } from './callback-senders.ts'
import type { RouteSettings, StaffGateway, StaffRoute } from './store.ts'
import { VerifiedView, verifiedExample, viewVerified } from './verified.ts'

const uuid = Type.String({ format: 'uuid' })
const moment = Type.String({ format: 'date-time' })
const amount = Type.String({ description: 'Decimal with two decimal places, in `currency`.' })
const environment = Type.Enum(['SANDBOX', 'LIVE'])

/** One account may carry several currencies. */
const limit = Type.String({ description: 'Decimal with two decimal places, in XOF.' })
const inXof = ' In XOF: what is in another currency counts for what it is worth at the rates of '
const unrated = 'now, and without a rate it is above every limit.'

const exposure = Type.Union([limit, Type.Null()], {
  description:
    'What may be with the operator at once and not be known to have ended, in this direction; ' +
    `null: no limit. Above it nothing new is sent there.${inXof}${unrated}`,
})

const most = Type.Union([limit, Type.Null()], {
  description:
    'The most that one payment may be there, in this direction; null: no limit. A larger one ' +
    `takes another route, or is refused.${inXof}${unrated}`,
})

const pace = Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
  description:
    'Over all our processes: questions a second, whatever else is sent a second, calls that are ' +
    'under way at once. Null: as usual at the operator, which may be without a limit.',
})

const SendersView = Type.Object(
  {
    ip_list: Type.Enum([...senderRules], {
      description:
        'What is made of a callback from elsewhere: `LOG` takes and counts it, `ENFORCE` refuses ' +
        'it (403), `OFF` does not look. `LOG` where the setting `ip_list` is not set.',
    }),
    addresses: Type.Array(Type.String(), {
      description:
        'Those that the operator publishes for the host that the account calls, and those of the ' +
        'setting `ip_list_more`. Nothing is compared where there are none.',
    }),
  },
  { title: 'CallbackSenders' },
)

export const GatewayView = Type.Object(
  {
    id: uuid,
    code: Type.String({ description: 'Our name for the account, unique.' }),
    name: Type.String(),
    adapter: Type.String({ description: 'The adapter that connects to it.' }),
    environment,
    is_active: Type.Boolean({
      description:
        'When false, nothing new is sent to it. What it already has is queried until it ends.',
    }),
    settings: Type.Record(Type.String(), Type.String(), {
      description:
        'What it is set up with, by the keys of `GET /admin/operators/`. Secrets are not among it.',
    }),
    callback_senders: Type.Union([SendersView, Type.Null()], {
      description: 'Where its callbacks come from. Null of the sandbox’s own.',
    }),
    exposure_limit_collect: exposure,
    exposure_limit_disburse: exposure,
    payment_limit_collect: most,
    payment_limit_disburse: most,
    asks_per_s: pace,
    creates_per_s: pace,
    open_calls: pace,
    checked_at: Type.Union([moment, Type.Null()], {
      description:
        'When `gateway check` passed; null where the last one with these secrets did not, or ' +
        'there was none. In LIVE nothing is switched on without one of the last 24 hours.',
    }),
    verified: Type.Array(VerifiedView, {
      description:
        'What was proven of its operator, an ability each: the same for all accounts with it. ' +
        'Empty for the sandbox’s own.',
    }),
    created_at: moment,
    updated_at: moment,
  },
  { title: 'StaffGateway' },
)

const CostView = Type.Object(
  {
    percent: Type.String({ description: 'Percentage of the requested amount, such as `1.50`.' }),
    fixed: amount,
    floor: Type.Union([amount, Type.Null()]),
    cap: Type.Union([amount, Type.Null()]),
  },
  { title: 'RouteCost' },
)

const HealthView = Type.Object(
  {
    calls: Type.Integer({ minimum: 0 }),
    failures: Type.Integer({ minimum: 0 }),
    average_ms: Type.Union([Type.Integer(), Type.Null()], { description: 'Null before any call.' }),
    measured_since: Type.Union([moment, Type.Null()]),
    skip_until: Type.Union([moment, Type.Null()], {
      description: 'The route is left out until then.',
    }),
    skip_reason: Type.String({ description: 'Empty while the route is in use.' }),
  },
  { title: 'RouteHealth', description: 'Across all processes, a few seconds late.' },
)

const boundaries = {
  least: Type.Union([amount, Type.Null()], {
    description: 'Of one payment or payout, as it is sent; null: no such limit.',
  }),
  most: Type.Union([amount, Type.Null()], {
    description: 'Of one payment or payout, as it is sent; null: no such limit.',
  }),
}

const OperatorLimitsView = Type.Object(
  {
    ...boundaries,
    step: Type.Union([amount, Type.Null()], {
      description: 'Sums are a multiple of it there; null: it does not say. It is not applied.',
    }),
    as_of: Type.String({ format: 'date-time', description: 'When the operator was asked.' }),
    next: Type.Union(
      [
        Type.Object(
          {
            ...boundaries,
            counts_from: Type.String({
              format: 'date-time',
              description: 'From then on, or once staff accept it.',
            }),
          },
          { title: 'OperatorLimitsNext' },
        ),
        Type.Null(),
      ],
      { description: 'What the operator says now and is narrower; null: nothing waits.' },
    ),
  },
  { title: 'OperatorLimits' },
)

export const RouteView = Type.Object(
  {
    id: uuid,
    network: uuid,
    network_code: Type.String(),
    gateway: uuid,
    gateway_code: Type.String(),
    gateway_is_active: Type.Boolean(),
    direction: Type.Enum(['COLLECT', 'DISBURSE']),
    environment,
    priority: Type.Integer({ minimum: 1, description: 'The lowest is tried first.' }),
    is_active: Type.Boolean(),
    breaker: Type.Boolean({
      description: 'Whether the route is left out for a while after repeated failures.',
    }),
    amount_step: Type.String({ description: 'Amounts sent to the gateway are a multiple of it.' }),
    currency: Type.String({ description: 'ISO 4217; the network’s currency.' }),
    cost: CostView,
    flow: Type.Union([Type.Enum(['push', 'redirect']), Type.Null()], {
      description: 'How the payer confirms there; null: as on its network.',
    }),
    otp_kind: Type.Union([Type.Enum(['NONE', 'PRE', 'POST']), Type.Null()], {
      description:
        'A code that the payer makes first (`PRE`) or is sent (`POST`); null: as on its network.',
    }),
    prompt_lifetime_s: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'Seconds that a payer is waited for; null: as long as its operator usually waits.',
    }),
    operator_limits: Type.Union([OperatorLimitsView, Type.Null()], {
      description:
        'What the operator says that it takes, read about once a day; it counts beside our own ' +
        'limits. Null: it does not say.',
    }),
    operator_status: Type.Union([Type.Enum(['OPERATIONAL', 'DELAYED', 'CLOSED']), Type.Null()], {
      description: 'What the operator says of it just now; null: nothing for five minutes.',
    }),
    health: HealthView,
    created_at: moment,
    updated_at: moment,
  },
  { title: 'StaffRoute' },
)

const boundOf = (sum: bigint | null) => (sum === null ? null : formatAmount(sum))

function viewSenders({ adapter, settings }: StaffGateway): Static<typeof SendersView> | null {
  const module = findAdapter(adapter)
  if (module === undefined) return null
  const { ip_list, addresses } = senderListOf(module, settings)
  return { ip_list, addresses: [...addresses] }
}

export const viewGateway = (gateway: StaffGateway): Static<typeof GatewayView> => ({
  id: gateway.id,
  code: gateway.code,
  name: gateway.name,
  adapter: gateway.adapter,
  environment: gateway.environment,
  is_active: gateway.is_active,
  settings: { ...gateway.settings },
  callback_senders: viewSenders(gateway),
  exposure_limit_collect: boundOf(gateway.exposure_limit_collect),
  exposure_limit_disburse: boundOf(gateway.exposure_limit_disburse),
  payment_limit_collect: boundOf(gateway.payment_limit_collect),
  payment_limit_disburse: boundOf(gateway.payment_limit_disburse),
  asks_per_s: gateway.asks_per_s,
  creates_per_s: gateway.creates_per_s,
  open_calls: gateway.open_calls,
  checked_at: gateway.checked_at?.toISOString() ?? null,
  verified: viewVerified(gateway.adapter),
  created_at: gateway.created_at.toISOString(),
  updated_at: gateway.updated_at.toISOString(),
})

/** What staff may change of a route, as they see it and as the audit log records it. */
export const viewSettings = (route: RouteSettings) => ({
  priority: route.priority,
  is_active: route.is_active,
  breaker: route.breaker,
  amount_step: formatAmount(route.amount_step),
  cost: {
    percent: formatPercent(route.cost_percent_ppm),
    fixed: formatAmount(route.cost_fixed),
    floor: boundOf(route.cost_floor),
    cap: boundOf(route.cost_cap),
  },
  flow: route.flow,
  otp_kind: route.otp_kind,
  prompt_lifetime_s: route.prompt_lifetime_s,
})

export const viewRoute = (route: StaffRoute): Static<typeof RouteView> => ({
  id: route.id,
  network: route.network_id,
  network_code: route.network_code,
  gateway: route.gateway_id,
  gateway_code: route.gateway_code,
  gateway_is_active: route.gateway_is_active,
  direction: route.direction,
  environment: route.environment,
  ...viewSettings(route),
  currency: route.currency,
  operator_limits: viewLimits(route),
  operator_status: route.published_state,
  health: viewHealth(route),
  created_at: route.created_at.toISOString(),
  updated_at: route.updated_at.toISOString(),
})

function viewLimits(route: StaffRoute): Static<typeof RouteView>['operator_limits'] {
  const { published_as_of, next_at } = route
  if (published_as_of === null) return null
  const next = { least: boundOf(route.next_least), most: boundOf(route.next_most) }
  return {
    ...{ least: boundOf(route.published_least), most: boundOf(route.published_most) },
    ...{ step: boundOf(route.published_step), as_of: published_as_of.toISOString() },
    next: next_at === null ? null : { ...next, counts_from: next_at.toISOString() },
  }
}

const viewHealth = (route: StaffRoute): Static<typeof HealthView> => ({
  calls: Number(route.calls),
  failures: Number(route.failures),
  average_ms: route.average_ms,
  measured_since: route.measured_since?.toISOString() ?? null,
  skip_until: route.skip_until?.toISOString() ?? null,
  skip_reason: route.skip_reason,
})

export const gatewayExample = {
  id: '01981f3a-0000-7000-8000-00000000ab01',
  code: 'orange_ci_live',
  name: 'Orange Money Côte d’Ivoire',
  adapter: 'orange',
  environment: 'LIVE',
  is_active: true,
  settings: {
    base_url: 'https://api.orange.com',
    country_path: 'ci',
    shown_name: 'Boutique Awa',
  },
  callback_senders: { ip_list: 'LOG' as const, addresses: [] },
  exposure_limit_collect: '200000.00',
  exposure_limit_disburse: '200000.00',
  payment_limit_collect: '50000.00',
  payment_limit_disburse: '50000.00',
  asks_per_s: 9,
  creates_per_s: 20,
  open_calls: null,
  checked_at: '2026-01-01T00:00:00.000Z',
  verified: [verifiedExample],
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}

export const routeExample = {
  id: '01981f3a-0000-7000-8000-00000000ac01',
  network: '01981f3a-0000-7000-8000-00000000e001',
  network_code: 'orange_ci',
  gateway: gatewayExample.id,
  gateway_code: gatewayExample.code,
  gateway_is_active: true,
  direction: 'COLLECT',
  environment: 'LIVE',
  priority: 1,
  is_active: true,
  breaker: true,
  amount_step: '5.00',
  currency: 'XOF',
  cost: { percent: '1.50', fixed: '0.00', floor: null, cap: null },
  flow: 'redirect' as const,
  otp_kind: 'NONE' as const,
  prompt_lifetime_s: null,
  operator_limits: {
    ...{ least: '100.00', most: '2000000.00', step: '100.00', as_of: '2026-11-28T04:12:00.000Z' },
    next: { least: '100.00', most: '1500000.00', counts_from: '2026-11-29T04:12:00.000Z' },
  },
  operator_status: 'OPERATIONAL' as const,
  health: {
    calls: 1042,
    failures: 3,
    average_ms: 820,
    measured_since: '2026-11-01T00:00:00.000Z',
    skip_until: null,
    skip_reason: '',
  },
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}
