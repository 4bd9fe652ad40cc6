// DELETE of a customer, and what it would take. They are here because customers rank above
// everything that their payments left. What is gone is gone, so in LIVE no key may do it: a key may
// be stolen.

import { refuse } from '../platform/errors.ts'
import { uuidParam } from '../platform/http/filters.ts'
import { ok, type ServedRoute } from '../platform/http/route.ts'
import { reads, removes } from '../platform/http/route-list.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { type EmailDeps, emailErasures } from './email-erasures.ts'
import { type ErasureDeps, eraseCustomer, erasureErrors } from './erase-customer.ts'
import { ErasurePreviewSchema, erasurePreviewExample, previewErasure } from './preview.ts'

export const erasureRoutes = (deps: ErasureDeps & EmailDeps): ServedRoute[] => [
  previewRoute(deps),
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

const previewRoute = (deps: ErasureDeps): ServedRoute => ({
  path: '/customers/:id/erasure/',
  access: 'any',
  summary: 'Preview the erasure of a customer',
  description:
    'Says whether the customer can be erased now, why not yet, and from how many records the ' +
    'person would be removed. It changes nothing, and `DELETE` looks again: what begins ' +
    'meanwhile counts there. Of each kind the newest `count_max` are looked at.',
  tag: 'Customers',
  ...reads(ErasurePreviewSchema, erasurePreviewExample),
  handler: async (input) => ok(await previewErasure(deps, input.caller, uuidParam(input, 'id'))),
})
