// Whether a payment link still takes payments, why not, and what its customer is sent with it: one
// that nobody can pay by is not handed out.

import type { MembersMerchant, PaymentLink } from '../../api/types.gen.ts'
import { serviceNow } from '../../data/clock.ts'
import type { State } from '../../ui/status.tsx'
import type { Key } from '../../words/translate.ts'

const shapes = {
  link_locked: 'off',
  link_off: 'off',
  link_over: 'off',
  link_used: 'done',
  link_on: 'done',
} as const

function wordOf(link: PaymentLink): keyof typeof shapes {
  const { is_active, admin_locked, usage_limit, usage_count, expires_at } = link
  if (admin_locked) return 'link_locked'
  if (!is_active) return 'link_off'
  if (expires_at !== null && Date.parse(expires_at) < serviceNow()) return 'link_over'
  return usage_limit !== null && usage_count >= usage_limit ? 'link_used' : 'link_on'
}

export function linkState(link: PaymentLink): State {
  const word = wordOf(link)
  return { shape: shapes[word], word }
}

const reasons = {
  link_locked: 'link_locked_why',
  link_off: 'link_off_why',
  link_over: 'link_over_why',
  link_used: 'link_used_why',
} as const

/** Why nobody can pay by it now, and what opens it; undefined: it can be paid by. */
export function whyClosed(
  link: PaymentLink,
  { status }: Pick<MembersMerchant, 'status'>,
): Key | undefined {
  if (status === 'SUSPENDED') return 'link_suspended_why'
  const word = wordOf(link)
  if (word !== 'link_on') return reasons[word]
  // Made by the API without a sum: it waits for one.
  return link.amount_type === 'FIXED' && link.amount === null ? 'link_no_amount_why' : undefined
}

type Sent = Readonly<{ key: Key; sum: string | null }>

/** The sentence that it is sent with, and the sum in it; null: whoever pays chooses it. */
export function sentWith({ amount_type, amount, min_amount }: PaymentLink): Sent {
  if (amount_type === 'FIXED') return { key: 'share_text', sum: amount }
  if (min_amount === null) return { key: 'share_text_free', sum: null }
  return { key: 'share_text_from', sum: min_amount }
}
