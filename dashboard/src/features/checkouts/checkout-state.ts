// How far a checkout session is.

import type { CheckoutSession } from '../../api/types.gen.ts'
import type { State } from '../../ui/status.tsx'

const shapes = { PENDING: 'waits', PAID: 'done', EXPIRED: 'off', CANCELLED: 'off' } as const

export const statuses = ['PENDING', 'PAID', 'EXPIRED', 'CANCELLED'] as const

export const checkoutState = ({ status }: CheckoutSession): State => ({
  shape: shapes[status],
  word: `checkout_${status}`,
})
