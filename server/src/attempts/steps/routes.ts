// `GET /admin/gateways/{id}/steps/`: what `gateway steps` shows, for staff without a shell.

import { findAccount } from '../../gateways/account-store.ts'
import { accountErrors } from '../../gateways/accounts.ts'
import { findAdapter } from '../../gateways/adapters.ts'
import type { Db } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import { uuidParam } from '../../platform/http/filters.ts'
import { ok, type Route } from '../../platform/http/route.ts'
import { reads } from '../../platform/http/route-list.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { listSteps } from './list-steps.ts'
import { StepsView, stepsExample, viewSteps } from './view.ts'

/** `reads`: it looks at whole tables, where no money waits for it. */
export const stepRoutes = (deps: Readonly<{ db: Db; reads: Db }>): Route[] => [
  {
    path: '/admin/gateways/:id/steps/',
    access: 'staff',
    staff: 'read',
    tag: 'Staff',
    ...reads(StepsView, stepsExample),
    summary: 'List an account’s steps from sandbox to live',
    description:
      'Of the environment given by `X-Environment`. Each is done, to do, or known to people ' +
      'alone; nothing is changed. Of a sandbox account, which of its operator’s own test numbers ' +
      'were tried through our API. `npm run cli -- gateway steps` shows the same.',
    errors: [accountErrors.gateway_without_settings],
    handler: async (input) => {
      const { environment } = input.person
      const account = await findAccount(deps.db, { id: uuidParam(input, 'id'), environment })
      if (account === undefined) throw refuse(transportErrors.not_found)
      const module = findAdapter(account.adapter)
      if (module === undefined) throw refuse(accountErrors.gateway_without_settings)
      const steps = await listSteps(deps.reads, account, module)
      return ok(viewSteps(account, steps, input.locale))
    },
  },
]
