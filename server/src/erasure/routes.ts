// DELETE of a customer. It is here because customers rank above everything that their payments
// left. What is gone is gone, so in LIVE no key may do it: a key may be stolen.

import { refuse } from '../platform/errors.ts'
import { uuidParam } from '../platform/http/filters.ts'
import type { ServedRoute } from '../platform/http/route.ts'
import { removes } from '../platform/http/route-list.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { type EmailDeps, emailErasures } from './email-erasures.ts'
import { type ErasureDeps, eraseCustomer, erasureErrors } from './erase-customer.ts'

export const erasureRoutes = (deps: ErasureDeps & EmailDeps): ServedRoute[] => [
  {
    path: '/customers/:id/',
    access: 'any',
    permission: 'customers',
    second_factor: 'environment',
    guard: {
      rule: 'no_live_keys',
      check: async ({ via, environment }) => {
        if (via === 'KEY' && environment === 'LIVE') throw refuse(accessErrors.dashboard_only)
      },
    },
    summary: 'Erase a customer',
    description:
      'Removes the customer’s name, e-mail and phone from the record, the payments and ' +
      'everything that was sent about them; amounts, dates and the last two digits of the phone ' +
      'are kept. Doing it again changes nothing. In LIVE by session only, with a fresh code.',
    tag: 'Customers',
    errors: [accessErrors.dashboard_only, erasureErrors.retention_required],
    ...removes(async (input) => {
      await eraseCustomer(deps, input.caller, uuidParam(input, 'id'))
      await emailErasures(deps, input.caller)
    }),
  },
]
