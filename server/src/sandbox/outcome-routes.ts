// `GET /sandbox/outcomes/`: what the sandbox can be made to do, and where. Law: the list is the
// operator's own table; what becomes of our record follows from what the operator will say.

import { type Static, Type } from 'typebox'
import type { Catalogue, Network } from '../catalogue/catalogue.ts'
import type { CatalogueOf } from '../catalogue/read-catalogue.ts'
import { lineOf } from '../customers/phone.ts'
import type { FailureCode, Gateways } from '../gateways/gateway.ts'
import type { Health } from '../gateways/health.ts'
import {
  type Confirmation,
  confirmationOf,
  confirmations,
  wayNow,
} from '../gateways/route-confirmation.ts'
import { type GatewayRoutes, routesChosen } from '../gateways/routing.ts'
import { paymentErrors } from '../planning/errors.ts'
import { orderShown } from '../planning/order-routes.ts'
import { type Locale, refuse, type Text } from '../platform/errors.ts'
import { type Caller, ok, type ServedRoute } from '../platform/http/route.ts'
import { reads } from '../platform/http/route-list.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import type { Versioned } from '../platform/versioned.ts'
import { sandboxOnly } from './resolve.ts'

const kinds = ['PAYIN', 'PAYOUT', 'REFUND'] as const

type Kind = (typeof kinds)[number]

/** What the operator will say of an order, one after the other. */
type Step = Readonly<{ is: 'SUCCESS' } | { is: 'FAILED'; failure_code: FailureCode }>

/** The operator's own table, in our words. */
export type SandboxPlay = Readonly<{
  /** The code that it takes for right. */
  right_otp: string
  outcomes: readonly Readonly<{
    kind: Kind
    ending: string
    /** None: it waits until a test decides. */
    steps: readonly Step[]
    text: Text
  }>[]
}>

const OutcomesView = Type.Object(
  {
    right_otp: Type.String({ description: 'The code that is right; any other is wrong.' }),
    networks: Type.Array(
      Type.Object({
        country: Type.String({ description: 'ISO 3166 alpha-2.' }),
        network: Type.String({ description: 'The network’s code, such as mtn_bj.' }),
        name: Type.String({ description: 'The network’s name.' }),
        currency: Type.String({ description: 'ISO 4217.' }),
        confirmation: Type.Enum([...confirmations], {
          description:
            'How the payer confirms: on the phone, on the operator’s page (`checkout_url`), with ' +
            'a code sent in the call (`otp`), or with one sent afterwards (`confirm-otp`).',
        }),
        msisdn_start: Type.String({
          description: 'A number of this network without its last two digits: add an `ending`.',
        }),
      }),
      {
        maxItems: 1000,
        description: 'Of each country one network for each way to confirm, the most used first.',
      },
    ),
    outcomes: Type.Array(
      Type.Object({
        kind: Type.Enum([...kinds]),
        ending: Type.String({
          description:
            'The last two digits of the number that pays or is paid; or as `sandbox:` and these ' +
            'digits in the `description` of a payout, the `reason` of a refund.',
        }),
        status: Type.Enum(['PENDING', 'SUCCESS', 'FAILED'], {
          description: 'How the record ends; PENDING: only a call under `/sandbox/` ends it.',
        }),
        failure_code: Type.String({ description: 'Empty unless it ends as FAILED.' }),
        description: Type.String({ description: 'What happens, in the language of the call.' }),
      }),
      { maxItems: 300, description: 'Each kind with each ending.' },
    ),
  },
  { title: 'SandboxOutcomes' },
)

export type OutcomeDeps = Readonly<{
  catalogue: CatalogueOf
  routes: Versioned<GatewayRoutes>
  gateways: Gateways
  health: Health
  play: SandboxPlay
}>

export const outcomeRoutes = (deps: OutcomeDeps): ServedRoute[] => [
  {
    path: '/sandbox/outcomes/',
    tag: 'Sandbox',
    access: 'any',
    guard: sandboxOnly,
    query: Type.Object({
      country: Type.Optional(Type.String({ description: 'ISO 3166 alpha-2: its networks only.' })),
    }),
    summary: 'List the outcomes that the sandbox can produce',
    description:
      'The whole list: every ending that it does not name does what `10` does. A payment that ' +
      'waits on a page ends by what is chosen there.',
    errors: [paymentErrors.invalid_country, transportErrors.not_found],
    ...reads(OutcomesView, outcomesExample),
    handler: async ({ caller, query, locale }) => {
      const known = await deps.catalogue(caller.catalogue_version)
      const networks = networksOf(known, query['country'] ?? '')
      return ok(viewPlay(deps.play, await withWays(deps, caller, networks), locale))
    },
  },
]

/** Of one country, or of all; cards have no number that could choose. */
function networksOf(catalogue: Catalogue, country: string): readonly Network[] {
  if (country !== '' && catalogue.countryByCode(country) === undefined) {
    throw refuse(paymentErrors.invalid_country)
  }
  const code = country.toUpperCase()
  return catalogue.networks
    .filter(({ is_active, takes_payins }) => is_active && takes_payins)
    .filter(({ country_code }) => code === '' || country_code === code)
    .toSorted(
      (one, other) => one.country_code.localeCompare(other.country_code) || byUse(one, other),
    )
}

type Played = Readonly<{ network: Network; confirmation: Confirmation }>

/** By the routes that this caller's payments would take now. */
async function withWays(
  { routes, gateways, health }: OutcomeDeps,
  { catalogue_version, sandbox_dialects }: Caller,
  networks: readonly Network[],
): Promise<Played[]> {
  const chosen = routesChosen(await routes(catalogue_version), sandbox_dialects)
  return networks.map((network) => {
    const order = orderShown(health)(network)
    const shown = { network, environment: 'SANDBOX', ...order } as const
    const way = wayNow(chosen, { gateways, health }, shown)
    return { network, confirmation: confirmationOf(way) }
  })
}

const byUse = (one: Network, other: Network): number =>
  (one.rank ?? Number.POSITIVE_INFINITY) - (other.rank ?? Number.POSITIVE_INFINITY) || 0

function viewPlay(
  { right_otp, outcomes }: SandboxPlay,
  networks: readonly Played[],
  locale: Locale,
): Static<typeof OutcomesView> {
  const seen = new Set<string>()
  return {
    right_otp,
    networks: networks.flatMap(({ network, confirmation }) => {
      const { country_code: country, code, name, currency } = network
      const msisdn_start = lineOf(country, network.prefixes)
      if (seen.has(`${country} ${confirmation}`) || msisdn_start === undefined) return []
      seen.add(`${country} ${confirmation}`)
      return { country, network: code, name, currency, confirmation, msisdn_start }
    }),
    outcomes: outcomes.map(({ kind, ending, steps, text }) => {
      const end = endOf(kind, steps)
      return {
        kind,
        ending,
        status: end?.is ?? 'PENDING',
        failure_code: end?.is === 'FAILED' ? end.failure_code : '',
        description: text[locale],
      }
    }),
  }
}

/** Only a payment moves on after it has failed; of what leaves, the first word is the last. */
const endOf = (kind: Kind, steps: readonly Step[]): Step | undefined =>
  kind === 'PAYIN' ? steps.at(-1) : steps[0]

const outcomesExample: Static<typeof OutcomesView> = {
  right_otp: '123456',
  networks: [
    {
      country: 'BJ',
      network: 'mtn_bj',
      name: 'MTN MoMo Bénin',
      currency: 'XOF',
      confirmation: 'PHONE',
      msisdn_start: '+22901420000',
    },
  ],
  outcomes: [
    {
      kind: 'PAYIN',
      ending: '01',
      status: 'FAILED',
      failure_code: 'INSUFFICIENT_FUNDS',
      description: 'Fails after a second: not enough money.',
    },
  ],
}
