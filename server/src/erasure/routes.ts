// DELETE of a customer: he stands above all that his payments left, and cannot know it.

import { uuidParam } from '../platform/http/filters.ts'
import { noContent, type Route } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { type ErasureDeps, eraseCustomer } from './erase-customer.ts'
import { erasureErrors } from './errors.ts'

export const erasureRoutes = (deps: ErasureDeps): Route[] => [
  {
    method: 'DELETE',
    path: '/customers/:id/',
    access: 'any',
    permission: 'customers',
    summary: 'Erase a customer',
    description:
      'His name, e-mail and phone go from his record, his payments and all that was told of ' +
      'them; amounts, dates and the last two digits of his phone stay. Doing it again changes ' +
      'nothing.',
    tag: 'Customers',
    responses: { 204: null },
    errors: [accessErrors.permission_denied, erasureErrors.retention_required],
    example: {},
    handler: async (input) => {
      await eraseCustomer(deps, input.caller, uuidParam(input, 'id'))
      return noContent
    },
  },
]
