// What the palette offers before anything is looked for: the screens, what this role may begin, and
// the other places of this person's own shops.

import { maySee } from '../../data/rights.ts'
import { addressIn, type Here, type useHere } from '../../parts/place.tsx'
import { type Key, t } from '../../words/translate.ts'

/** Its name as it is read and looked for; its address below the dashboard's own root. */
export type Command = Readonly<{ name: string; href: string }>
export type Group = Readonly<{ name: Key; commands: readonly Command[] }>

type Where = ReturnType<typeof useHere>
type Named = readonly [path: string, name: Key]

const screens: readonly Named[] = [
  ['', 'home'],
  ['/payments', 'payments'],
  ['/payments/refunds', 'refunds'],
  ['/payouts', 'payouts'],
  ['/payouts/approvals', 'to_approve'],
  ['/payouts/limits', 'limits'],
  ['/balances', 'balances'],
  ['/settlements', 'settlements'],
  ['/settlements/methods', 'methods'],
  ['/transfers', 'transfers'],
  ['/links', 'links'],
  ['/checkouts', 'checkouts'],
  ['/customers', 'customers'],
  ['/reports', 'day_sheet'],
  ['/reports/series', 'series'],
  ['/reports/files', 'files'],
  ['/prices', 'prices'],
  ['/networks', 'networks'],
  ['/developers/keys', 'dev_keys'],
  ['/developers/webhooks', 'dev_webhooks'],
  ['/developers/deliveries', 'dev_deliveries'],
  ['/developers/events', 'dev_events'],
  ['/developers/addresses', 'dev_addresses'],
  ['/team', 'team'],
  ['/settings', 'settings'],
  ['/settings/verification', 'verification'],
  ['/audit', 'audit'],
  ['/search', 'search'],
]

/** Only what this person may do, here and now. */
const actsFor = ({ may, environment }: Where): readonly Named[] => {
  const all = [
    ['/payments/new', 'new_payment', may('payins')],
    ['/links/new', 'new_link', may('links')],
    ['/checkouts/new', 'new_checkout', may('checkout')],
    ['/customers/new', 'customer_new', may('customers')],
    ['/payouts/new', 'new_payout', may('payouts')],
    ['/balances/top-up', 'top_up', may('top_ups')],
    ['/transfers/new', 'new_transfer', may('transfers')],
    ['/settlements/new', 'new_settlement', may('settlements')],
    ['/settlements/methods/new', 'new_method', may('payout_methods')],
    ['/developers/keys/new', 'key_new', may('keys')],
    ['/developers/webhooks/new', 'hook_new', may('webhooks')],
    ['/developers/sandbox', 'dev_sandbox', environment === 'SANDBOX' && may('payins')],
  ] as const
  return all.flatMap(([path, name, isOffered]) => (isOffered ? [[path, name] as const] : []))
}

/** Each shop in each of its modes, but the one that is shown. */
function placesOf({ me, place }: Where): Command[] {
  const modes = ['LIVE', 'SANDBOX'] as const
  return me.merchants.flatMap((merchant) =>
    modes
      .filter((environment) => environment === 'SANDBOX' || merchant.live_enabled)
      .filter((mode) => merchant.id !== place.merchant || mode !== place.environment)
      .map((environment) => ({
        name: `${merchant.name} · ${t(`mode_${environment}`)}`,
        href: addressIn(
          { merchant, environment } satisfies Pick<Here, 'merchant' | 'environment'>,
          '',
        ),
      })),
  )
}

export function commandsOf(here: Where): readonly Group[] {
  const named = ([path, name]: Named): Command => ({ name: t(name), href: here.to(path) })
  const seen = screens.filter(([path]) => maySee(here.merchant, path))
  return [
    { name: 'palette_acts', commands: actsFor(here).map(named) },
    {
      name: 'palette_screens',
      commands: [...seen.map(named), { name: t('me_open'), href: '/me' }],
    },
    { name: 'palette_places', commands: placesOf(here) },
  ]
}

/** As people type: without accents, in small letters. */
const plain = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Those whose names have each word that was typed, in whatever order. */
export function narrow(groups: readonly Group[], typed: string): readonly Group[] {
  const words = plain(typed).split(/\s+/)
  const fits = ({ name }: Command) => words.every((word) => plain(name).includes(word))
  return groups
    .map(({ name, commands }) => ({ name, commands: commands.filter(fits) }))
    .filter(({ commands }) => commands.length > 0)
}
