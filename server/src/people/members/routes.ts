// `/admin/members/…`: staff help a member, or lock out somebody who took over an account. And the
// member's own route: the e-mail that stops a reset.

import { type Static, Type } from 'typebox'
import { uuidParam } from '../../platform/http/filters.ts'
import { type Input, ok, type Reply, type Route } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { countEmail, type EmailLimitDeps } from '../count-tries.ts'
import { peopleErrors } from '../errors.ts'
import { PersonSchema, personExample, viewPerson } from '../person.ts'
import { proposalErrors } from '../proposals/errors.ts'
import { endSessionsOf, getMember, setDisabled } from './change-member.ts'
import { memberHelpErrors } from './errors.ts'
import { FactorResetSchema, viewReset } from './factor-reset.ts'
import {
  cancelByEmail,
  cancelByStaff,
  confirmByAnother,
  type ResetDeps,
  requestReset,
} from './reset-factor.ts'
import { findOpenReset } from './store.ts'

const tag = 'Staff: members'

const moment = Type.String({ format: 'date-time' })
const HelpedSchema = Type.Object(
  {
    ...PersonSchema.properties,
    disabled_at: Type.Union([moment, Type.Null()]),
    factor_reset: Type.Union([FactorResetSchema, Type.Null()], {
      description: 'The reset that is under way.',
    }),
  },
  { title: 'MemberSeenByStaff' },
)

const ReasonBody = Type.Object({ reason: Type.String({ minLength: 1, maxLength: 500 }) })

const example = { ...personExample, disabled_at: null, factor_reset: null }
const reset = {
  id: '01981f3a-0000-7000-8000-00000000c101',
  status: 'ASKED',
  reason: 'Lost phone and codes; called back on the number we have.',
  asked_by: '01981f3a-0000-7000-8000-00000000d001',
  asked_at: '2026-11-21T08:00:00.000Z',
  confirmed_by: null,
  due_at: '2026-11-24T08:00:00.000Z',
}
const asked = { ...example, factor_reset: reset }
const confirmed = {
  ...example,
  factor_reset: {
    ...reset,
    status: 'CONFIRMED',
    confirmed_by: '01981f3a-0000-7000-8000-00000000d002',
    due_at: '2026-11-22T09:00:00.000Z',
  },
}

const ofOne = { access: 'staff', tag, responses: { 200: HelpedSchema } } as const
const acts = { ...ofOne, method: 'POST', staff: 'merchants' } as const

async function answer({ db }: ResetDeps, id: string): Promise<Reply> {
  const member = await getMember(db, id)
  const open = await findOpenReset(db, id)
  return ok({
    ...viewPerson(member),
    disabled_at: member.disabled_at?.toISOString() ?? null,
    factor_reset: open === undefined ? null : viewReset(open),
  })
}

export const memberHelpRoutes = (deps: ResetDeps): Route[] => [
  {
    ...ofOne,
    method: 'GET',
    path: '/admin/members/:id/',
    staff: 'read',
    summary: 'Retrieve a merchant’s member',
    example: { reply: example },
    handler: (input) => answer(deps, uuidParam(input, 'id')),
  },
  ...accountRoutes(deps),
  ...resetRoutes(deps),
]

const accountRoutes = (deps: ResetDeps): Route[] => [
  {
    ...acts,
    path: '/admin/members/:id/disable/',
    body: ReasonBody,
    summary: 'Disable a member’s account',
    description:
      'All sessions end, e-mailed links stop working, and nobody can sign in. The member is ' +
      'notified by e-mail.',
    example: {
      body: { reason: 'The account was taken over.' },
      reply: { ...example, disabled_at: '2026-11-21T08:00:00.000Z' },
    },
    handler: async (input: Input<Static<typeof ReasonBody>>) => {
      const id = uuidParam(input, 'id')
      await setDisabled(deps, input.person, { id, disabled: true, reason: input.body.reason })
      return answer(deps, id)
    },
  },
  {
    ...acts,
    path: '/admin/members/:id/enable/',
    summary: 'Enable a member’s account',
    example: { reply: example },
    handler: async (input) => {
      const id = uuidParam(input, 'id')
      await setDisabled(deps, input.person, { id, disabled: false, reason: '' })
      return answer(deps, id)
    },
  },
  {
    ...acts,
    path: '/admin/members/:id/end-sessions/',
    summary: 'End a member’s sessions',
    description: 'Everywhere, from the next request on. The member can still sign in.',
    example: { reply: example },
    handler: async (input) => {
      const id = uuidParam(input, 'id')
      await endSessionsOf(deps, input.person, id)
      return answer(deps, id)
    },
  },
]

const resetRoutes = (deps: ResetDeps): Route[] => [
  {
    ...acts,
    path: '/admin/members/:id/reset-second-factor/',
    body: ReasonBody,
    summary: 'Request the reset of a lost second factor',
    description: 'Another member of staff must confirm it within 72 hours, or it lapses.',
    errors: [peopleErrors.totp_not_enrolled, memberHelpErrors.reset_in_progress],
    example: { body: { reason: reset.reason }, reply: asked },
    handler: async (input: Input<Static<typeof ReasonBody>>) => {
      const id = uuidParam(input, 'id')
      await requestReset(deps, input.person, { id, reason: input.body.reason })
      return answer(deps, id)
    },
  },
  {
    ...acts,
    path: '/admin/members/:id/reset-second-factor/confirm/',
    summary: 'Confirm a reset that another person requested',
    description:
      'The member and the merchant’s other owners get an e-mail; the member’s contains a link ' +
      'to stop it. After 24 hours the factor is removed and the member’s sessions end.',
    errors: [
      memberHelpErrors.reset_not_open,
      memberHelpErrors.same_person,
      proposalErrors.proposer_gone,
    ],
    example: { reply: confirmed },
    handler: async (input) => {
      const id = uuidParam(input, 'id')
      await confirmByAnother(deps, input.person, id)
      return answer(deps, id)
    },
  },
  {
    ...acts,
    path: '/admin/members/:id/reset-second-factor/cancel/',
    summary: 'Cancel a reset that is under way',
    errors: [memberHelpErrors.reset_not_open],
    example: { reply: example },
    handler: async (input) => {
      const id = uuidParam(input, 'id')
      await cancelByStaff(deps, input.person, id)
      return answer(deps, id)
    },
  },
]

const CancelBody = Type.Object({
  token: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The part after `#` in the e-mailed link.',
  }),
})

/** Public: the e-mail's token opens it, since the member may have nothing else left. */
export const keepFactorRoutes = (deps: EmailLimitDeps & Pick<ResetDeps, 'db'>): Route[] => [
  {
    method: 'POST',
    path: '/auth/totp/keep/',
    access: 'public',
    body: CancelBody,
    summary: 'Stop the reset of your second factor',
    description: 'With the e-mailed token, until the 24 hours are over.',
    tag: 'Identity',
    responses: { 200: Type.Object({ kept: Type.Boolean() }, { title: 'SecondFactorKept' }) },
    errors: [accessErrors.rate_limited],
    example: {
      body: { token: 'kV2r8QpZ0mJ3xT7bC4nR9sW1yD6fG5hL0aE3iU7oKqP' },
      reply: { kept: true },
    },
    handler: async ({ body, ip, request_id }: Input<Static<typeof CancelBody>>) => {
      await countEmail(deps, { ip, recipient: `keep ${ip}` })
      await cancelByEmail(deps, { token: body.token, ip, request_id })
      return ok({ kept: true })
    },
  },
]
