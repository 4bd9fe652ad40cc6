// How a payer confirms on a route, and for how long they are waited for: as the route says, else as
// its network does and its operator usually waits (decision 0205). Law: a route is set to what its
// adapter can do, or it is refused by the field that is wrong.

import type { Network } from '../catalogue/catalogue.ts'
import { keepNetwork } from '../catalogue/read-catalogue.ts'
import type { Tx } from '../platform/db.ts'
import { Invalid, type Text } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { type AdapterModule, isSameWay, type WayToConfirm } from './adapter.ts'
import { findAdapter } from './adapters.ts'
import type { Direction } from './gateway.ts'
import { type ChoiceFacts, chooseRoutes, type GatewayRoutes, type RouteQuery } from './routing.ts'
import type { ConfirmationSettings } from './store.ts'

/** Nothing apart from the network and the operator. */
export const asUsual: ConfirmationSettings = {
  flow: null,
  otp_kind: null,
  prompt_lifetime_s: null,
}

/** How a payer confirms there; whoever is paid confirms nothing. */
export const wayOn = (
  route: Partial<ConfirmationSettings>,
  network: WayToConfirm,
  direction: Direction = 'COLLECT',
): WayToConfirm =>
  direction === 'DISBURSE'
    ? { flow: 'push', otp_kind: 'NONE' }
    : { flow: route.flow ?? network.flow, otp_kind: route.otp_kind ?? network.otp_kind }

/**
 * How a payer would confirm if they paid now: by the route that would be tried first, and where
 * there is none as the network usually has it.
 */
export function wayNow(
  routes: GatewayRoutes,
  facts: ChoiceFacts,
  {
    network,
    environment,
    ...ordered
  }: Readonly<{ network: Network; environment: Environment }> & Pick<RouteQuery, 'order'>,
): WayToConfirm {
  const { routes: usable } = chooseRoutes(routes, facts, {
    ...{ network_id: network.id, direction: 'COLLECT', environment },
    ...{ preferred_gateway: '', showing: true, ...ordered },
  })
  return wayOn(usable[0] ?? {}, network)
}

/** The same in a word, as callers read it. */
export const confirmations = ['PHONE', 'PAGE', 'CODE_BEFORE', 'CODE_AFTER'] as const
export type Confirmation = (typeof confirmations)[number]

export function confirmationOf({ flow, otp_kind }: WayToConfirm): Confirmation {
  if (flow === 'redirect') return 'PAGE'
  if (otp_kind === 'NONE') return 'PHONE'
  return otp_kind === 'PRE' ? 'CODE_BEFORE' : 'CODE_AFTER'
}

/** Whether a payer needs a code now, and how they get it. */
export const codeNow =
  (
    routes: GatewayRoutes,
    facts: ChoiceFacts,
    of: Readonly<{
      environment: Environment
      /** In which order the network's routes are tried. */
      orderOn: (network: Network) => Pick<RouteQuery, 'order'>
    }>,
  ) =>
  (network: Network) => {
    const { environment, orderOn } = of
    const { otp_kind } = wayNow(routes, facts, { network, environment, ...orderOn(network) })
    const otp_instructions = instructionsFor(network, otp_kind)
    return { otp_required: otp_kind !== 'NONE', otp_instructions }
  }

type Instructed = Pick<Network, 'otp_kind' | 'otp_instructions'>

/**
 * What a network says of its codes is of the kind that it has itself; of one that has none, of a
 * code that is made first. Empty where it says nothing of this kind.
 */
export const instructionsFor = (network: Instructed, kind: WayToConfirm['otp_kind']): string =>
  network.otp_kind === kind || (network.otp_kind === 'NONE' && kind === 'PRE')
    ? network.otp_instructions
    : ''

/**
 * What a new route has where nothing is asked for: an adapter that cannot do as the network usually
 * has it does it in its own way.
 */
export function usualFor(network: WayToConfirm, module: AdapterModule | undefined) {
  const [own] = module?.confirms ?? []
  if (own === undefined || module?.confirms.some((one) => isSameWay(one, network))) return asUsual
  return { ...asUsual, ...own }
}

export type ConfirmedRoute = Readonly<{ network_id: string; direction: Direction; adapter: string }>

/**
 * Throws a 400 by field. Until the transaction ends nobody takes the instructions away that a code
 * of the route needs.
 */
export async function requireConfirmable(
  tx: Tx,
  { network_id, direction, adapter }: ConfirmedRoute,
  to: ConfirmationSettings,
): Promise<void> {
  if (direction === 'DISBURSE') return requireNone(to)
  const network = await keepNetwork(tx, network_id)
  const module = findAdapter(adapter)
  const way = wayOn(to, network)
  const field = to.flow === null && to.otp_kind !== null ? 'otp_kind' : 'flow'
  if (way.flow === 'redirect' && way.otp_kind !== 'NONE') throw wrong('otp_kind', texts.page)
  if (module !== undefined && !module.confirms.some((one) => isSameWay(one, way))) {
    throw wrong(field, cannotConfirm(module))
  }
  if (way.otp_kind === 'PRE' && instructionsFor(network, 'PRE').trim() === '') {
    throw wrong('otp_kind', texts.uninstructed)
  }
  const { prompt_lifetime_s: waits_s } = to
  if (waits_s !== null && (waits_s < leastWaitS || waits_s > mostWaitS)) {
    throw wrong('prompt_lifetime_s', texts.outside)
  }
  if (waits_s !== null && module !== undefined && module.ends_waiting !== true) {
    throw wrong('prompt_lifetime_s', cannotEnd(module))
  }
}

function requireNone(to: ConfirmationSettings): void {
  const set = (['flow', 'otp_kind', 'prompt_lifetime_s'] as const).find((name) => to[name] !== null)
  if (set !== undefined) throw wrong(set, texts.paidOut)
}

const wrong = (field: string, text: Text) => new Invalid({ [field]: [text] })

/** A payer is waited for a minute at least, and a day at most. Seconds. */
const leastWaitS = 60
const mostWaitS = 86_400

const texts = {
  outside: {
    en: `A payer is waited for ${leastWaitS} to ${mostWaitS} seconds.`,
    fr: `Un payeur est attendu de ${leastWaitS} à ${mostWaitS} secondes.`,
  },
  page: {
    en: 'A page asks for its codes itself: set otp_kind to NONE, or flow to push.',
    fr: 'Une page demande elle-même ses codes : mettez otp_kind à NONE, ou flow à push.',
  },
  uninstructed: {
    en:
      'Payers must know how to get this code, and the network does not say it: set its ' +
      'otp_instructions first (a network whose own code comes afterwards cannot).',
    fr:
      'Les payeurs doivent savoir comment obtenir ce code, et le réseau ne le dit pas : réglez ' +
      'd’abord son otp_instructions (impossible si son propre code arrive après).',
  },
  paidOut: {
    en: 'Whoever is paid confirms nothing: set it on a route of direction COLLECT.',
    fr: 'Un bénéficiaire ne confirme rien : réglez-le sur une route de sens COLLECT.',
  },
} as const satisfies Record<string, Text>

function cannotConfirm({ name, confirms }: AdapterModule): Text {
  const each = confirms.map(({ flow, otp_kind }) => `${flow} / ${otp_kind}`).join(', ')
  return {
    en: `${name} does not do this. Its flow / otp_kind may be: ${each}.`,
    fr: `${name} ne le fait pas. Son flow / otp_kind peut être : ${each}.`,
  }
}

const cannotEnd = ({ name }: AdapterModule): Text => ({
  en: `${name} cannot end what its payer has not confirmed: set it to null.`,
  fr: `${name} ne peut pas clore ce que le payeur n’a pas confirmé : mettez null.`,
})
