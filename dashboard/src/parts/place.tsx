// Where the reader is, which the address holds: merchant, test or live, screen, filters. A link
// that is sent to a colleague shows them the same.

import { createContext, useContext, useLayoutEffect } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Me, MembersMerchant } from '../api/types.gen.ts'
import type { Environment, Place } from '../data/call.ts'
import { serviceNow } from '../data/clock.ts'
import { keepHere, keptHere } from '../data/kept-here.ts'
import { may, type Right, rolesThatMay } from '../data/rights.ts'
import { type Language, lookAlike, writeAmount, writeWithCode } from '../format/amount.ts'
import { type Clock, today, writeMoment } from '../format/moment.ts'
import { hidePhone, writePhone } from '../format/phone.ts'
import { t } from '../words/translate.ts'
import { canBe, type MayBe } from './filter-values.ts'

export type Here = Readonly<{
  me: Me
  merchant: MembersMerchant
  environment: Environment
  language: Language
  /** Their reader shows this screen to others. */
  hidesNumbers: boolean
}>

/** Why something is not offered, and the right that this person lacks for it. */
export type Reason = Readonly<{
  text: string
  right?: Right
  /** What they can do about it themselves. */
  way?: Readonly<{ href: string; name: string }>
  /** Of an approval: who asked for it may not give it, nor in LIVE who has no second factor. */
  asked_by?: string | null
}>

/** What a right is asked for: to do what it is for, or to read what it opens. */
export type Purpose = 'do' | 'read'

/** Of a suspended shop everything is still read. */
const isStopped = ({ status }: MembersMerchant, right: Right, purpose: Purpose): boolean =>
  status === 'SUSPENDED' && purpose === 'do' && right !== 'read' && right !== 'audit'

const HereContext = createContext<Here | undefined>(undefined)
export const HereProvider = HereContext.Provider

/** What a screen needs to know of where it stands. */
export function useHere() {
  const here = useContext(HereContext)
  if (here === undefined) throw new Error('outside a merchant')
  const { merchant, environment, language, hidesNumbers } = here
  const clock: Clock = { language, zone: merchant.time_zone }
  const place: Place = { merchant: merchant.id, environment }
  return {
    ...here,
    place,
    clock,
    may: (right: Right, purpose: Purpose = 'do') =>
      may(merchant, right) && !isStopped(merchant, right, purpose),
    /** What is not allowed is shown with its reason; undefined: it is allowed. */
    whyNot: (right: Right, purpose: Purpose = 'do'): Reason | undefined => {
      if (isStopped(merchant, right, purpose)) return { text: t('not_while_suspended') }
      if (may(merchant, right)) return undefined
      const roles = rolesThatMay[right].map((role) => t(`role_${role}`))
      return { text: t('not_in_your_role', { roles: roles.join(', ') }), right }
    },
    amount: (decimal: string, currency: string) => writeAmount(decimal, currency, language),
    /** Of several currencies: with the code where two of them are called the same. */
    amountAmong: (currencies: readonly string[]) => {
      const writeOne = lookAlike(currencies) ? writeWithCode : writeAmount
      return (decimal: string, currency: string) => writeOne(decimal, currency, language)
    },
    moment: (iso: string) => writeMoment(iso, clock, new Date(serviceNow())),
    /** The day that it is for the service, by the merchant's clocks. */
    today: () => today(clock.zone, new Date(serviceNow())),
    /**
     * A payer's, or a text that may have one; where a sum goes to it, `writePhone` shows it whole
     * in any case.
     */
    phone: hidesNumbers ? hidePhone : writePhone,
    to: (path: string) => addressIn(here, path),
  }
}

export const modeOf = (environment: Environment): string =>
  environment === 'LIVE' ? 'live' : 'test'

export const addressIn = (
  { merchant, environment }: Pick<Here, 'merchant' | 'environment'>,
  path: string,
): string => `/${merchant.id}/${modeOf(environment)}${path}`

const namesOf = <Name extends string>(of: Readonly<Record<Name, MayBe>>): Name[] => {
  const names: Name[] = []
  for (const name in of) names.push(name)
  return names
}

/** Where one was last, so that one's own pages lead back to it. */
let last_place: string | undefined
const place_key = 'pirogue-place'

/** Of this tab alone: another one may be at another shop. */
export function rememberPlace(path: string): void {
  last_place = path
  keepHere(place_key, path)
}

/** `/` where this tab has been nowhere yet. */
export const lastPlace = (): string => last_place ?? keptHere(place_key) ?? '/'

/**
 * The address's filters, of those that the screen knows, where each is something that it may be.
 * What cannot be is no filter for anyone, and the address is mended.
 */
export function useFilters<Name extends string>(known: Readonly<Record<Name, MayBe>>) {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const asked = new URLSearchParams(search)
  const filters: Partial<Record<Name, string>> = {}
  const wrong: string[] = []
  for (const name of namesOf(known)) {
    const value = asked.get(name)
    if (value === null || value === '') continue
    if (canBe(known[name], value, filters)) filters[name] = value
    else wrong.push(name)
  }
  const gone = wrong.join(' ')
  // Before it is painted: nobody goes back to what was none.
  useLayoutEffect(() => {
    if (gone === '') return
    const left = new URLSearchParams(search)
    for (const name of gone.split(' ')) left.delete(name)
    navigate(left.size === 0 ? path : `${path}?${left}`, { replace: true })
  }, [gone, search, path, navigate])
  /** Another filter begins at the list's first page. */
  const set = (next: Partial<Record<Name, string | undefined>>) => {
    const kept = Object.entries<string | undefined>(next).filter(([, value]) => Boolean(value))
    const query = new URLSearchParams(kept.map(([name, value]) => [name, value ?? ''])).toString()
    navigate(query === '' ? path : `${path}?${query}`)
  }
  return { filters, set }
}
