// What the parts of the gallery are shown with, by hand: nobody is signed in, and nothing is asked
// of the API. Words are looked up when a part is drawn, in the language of that moment.

import type { ReactNode } from 'react'
import type { DirectionRates, Me, MembersMerchant, NetworkRates } from '../src/api/types.gen.ts'
import { CallFailed, type Failure } from '../src/data/call.ts'
import type { Language } from '../src/format/amount.ts'
import type { Here } from '../src/parts/place.tsx'
import { t } from '../src/words/translate.ts'

type CaseProps = Readonly<{ name: string; opens?: boolean; children: ReactNode }>

/** A part by its name in the code. `opens`: its buttons open something over the page. */
export const Case = ({ name, opens = false, children }: CaseProps) => (
  <section data-opens={opens || undefined}>
    <h2 className="small mute" lang="en">
      {name}
    </h2>
    {children}
  </section>
)

/** What most buttons of the gallery do. */
export const nothing = (): void => undefined

export const inMinutes = (minutes: number): string =>
  new Date(Date.now() + minutes * 60_000).toISOString()

const merchant: MembersMerchant = {
  // An address begins with it: what leads on from a part leads to the gallery.
  ...{ id: 'dashboard/kit', name: 'Boutique Awa', country: 'BJ', time_zone: 'Africa/Porto-Novo' },
  ...{ role: 'OWNER', permissions: ['read', 'payins'], status: 'ACTIVE', live_enabled: true },
  ...{ kyc_status: 'APPROVED', suspended_reason: '', suspended_at: null },
}

const me: Me = {
  member: {
    ...{ id: 'member', email: 'awa@example.com', first_name: 'Awa', last_name: 'Dossou' },
    ...{ phone: '', locale: 'fr', email_verified: true, totp_enabled: true, last_login_at: null },
    created_at: inMinutes(-600_000),
  },
  ...{ merchants: [merchant], second_factor: 'NONE', second_factor_until: null },
  session: { expires_at: inMinutes(600), idle_at: inMinutes(30) },
  support_contact: null,
}

export const hereIn = (language: Language): Here => ({
  ...{ me, merchant, language, environment: 'SANDBOX', hidesNumbers: false },
})

/** By the API, in words that belong to no field. */
export const refusal = (): Failure => ({
  ...{ is: 'refused', status: 422, code: 'balance_frozen', message: t('balance_frozen') },
  ...{ retryable: false, request_id: `req-${'0123456789abcdef'.repeat(2)}`, retry_after_s: 0 },
})

/** Of these fields, for being empty. */
export const emptyAt = (...names: readonly string[]): Failure => ({
  is: 'fields',
  fields: Object.fromEntries(names.map((name) => [name, [t('fill_in')]])),
})

/** An act that is refused. */
export const refuses = async (): Promise<never> => {
  throw new CallFailed(refusal())
}

const direction: DirectionRates = {
  ...{ available: true, is_custom: false, otp_required: false, otp_instructions: '', tiers: [] },
}

const networkOf = (network_code: string, network_name: string): NetworkRates => ({
  ...{ country_code: 'BJ', country_name: 'Bénin', currency: 'XOF', network_code, network_name },
  ...{ payin: direction, payout: direction, top_up: direction },
})

export const rates = [networkOf('mtn_bj', 'MTN MoMo'), networkOf('moov_bj', 'Moov Money')] as const
export const networks = rates.map((one) => [one.network_code, one.network_name] as const)
