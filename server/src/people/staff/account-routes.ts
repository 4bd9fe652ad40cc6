// `/admin/staff/…`: superadmins manage the platform's staff.

import { type Static, Type } from 'typebox'
import { enumFilter, flagFilter, flagSchema, uuidParam } from '../../platform/http/filters.ts'
import { sortedPage } from '../../platform/http/lists.ts'
import { type Input, ok, type Reply, type Route } from '../../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  reads,
  routesWith,
  searchFilter,
} from '../../platform/http/route-list.ts'
import { peopleErrors } from '../errors.ts'
import { emailField } from '../person.ts'
import { proposalErrors } from '../proposals/errors.ts'
import { ProposalSchema, viewProposal } from '../proposals/proposal.ts'
import { staffRoles } from '../staff-roles.ts'
import { type InviteDeps, inviteStaff, type Outcome } from './add-staff.ts'
import { changeStaff } from './change-staff.ts'
import { staffErrors } from './errors.ts'
import { getStaff, listStaff } from './get-staff.ts'
import { resetSecondFactor } from './reset-second-factor.ts'
import {
  nameOrNone,
  roleField,
  type StaffMember,
  StaffMemberSchema,
  staffExample,
  viewStaffMember,
} from './staff-member.ts'

const ordered = ['created_at', 'email'] as const

const InviteBody = Type.Object({
  email: emailField,
  role: roleField,
  first_name: Type.Optional(nameOrNone),
  last_name: Type.Optional(nameOrNone),
  locale: Type.Optional(
    Type.Enum(['en', 'fr'], {
      description: 'The language of their e-mails; defaults to the caller’s.',
    }),
  ),
})

const ChangeBody = Type.Object({
  role: Type.Optional(roleField),
  first_name: Type.Optional(nameOrNone),
  last_name: Type.Optional(nameOrNone),
  disabled: Type.Optional(Type.Boolean()),
})

const invited = { ...staffExample, totp_enabled: false, has_password: false, last_login_at: null }

/** What another must confirm is answered as pending: 202. */
const answer = (outcome: Outcome, status: 200 | 201): Reply =>
  outcome.is === 'done'
    ? { status, data: viewStaffMember(outcome.member) }
    : { status: 202, data: viewProposal(outcome.proposal) }

export const staffAccountRoutes = (deps: InviteDeps): Route[] =>
  routesWith({ tag: 'Staff: accounts', access: 'staff' }, [
    listRoute(deps),
    inviteRoute(deps),
    readRoute(deps),
    changeRoute(deps),
    resetRoute(deps),
  ])

const listRoute = ({ db }: InviteDeps): Listed => ({
  path: '/admin/staff/',
  staff: 'staff',
  ...numberList(StaffMemberSchema, staffExample, {
    search: searchFilter('Searches e-mail and names.'),
    role: Type.Optional(roleField),
    disabled: Type.Optional(flagSchema),
    ordering: orderingBy(ordered),
  }),
  summary: 'List staff',
  handler: async (input) => {
    const role = enumFilter(input.query, 'role', staffRoles)
    const disabled = flagFilter(input.query, 'disabled')
    const rows = (await listStaff(db)).filter(
      (row) =>
        (role === undefined || row.staff_role === role) &&
        (disabled === undefined || (row.disabled_at !== null) === disabled),
    )
    const words = (row: StaffMember) => [row.email, `${row.first_name} ${row.last_name}`]
    return ok(sortedPage(input, { rows, fields: ordered, words, view: viewStaffMember }))
  },
})

const inviteRoute = (deps: InviteDeps): Listed => ({
  method: 'POST',
  path: '/admin/staff/',
  staff: 'staff',
  body: InviteBody,
  summary: 'Add a member of staff',
  description:
    'Another superadmin confirms it (202, `/admin/proposals/`). The new member of staff is then ' +
    'asked by e-mail to choose a password, and must enrol a second factor.',
  responses: { 201: StaffMemberSchema, 202: ProposalSchema },
  errors: [peopleErrors.email_taken, proposalErrors.proposal_pending],
  example: { body: { email: staffExample.email, role: staffExample.role }, reply: invited },
  handler: async ({ person, body, locale }: Input<Static<typeof InviteBody>>) => {
    const request = { first_name: '', last_name: '', locale, ...body }
    return answer(await inviteStaff(deps, person, request), 201)
  },
})

const ofOne = { path: '/admin/staff/:id/', staff: 'staff' } as const

const readRoute = ({ db }: InviteDeps): Listed => ({
  ...ofOne,
  summary: 'Retrieve a member of staff',
  ...reads(StaffMemberSchema, staffExample),
  handler: async (input) => ok(viewStaffMember(await getStaff(db, uuidParam(input, 'id')))),
})

const changeRoute = ({ db }: InviteDeps): Listed => ({
  ...ofOne,
  method: 'PATCH',
  body: ChangeBody,
  summary: 'Update a member of staff',
  description:
    'Disabling ends all their sessions at once. A role with more rights, and enabling again, ' +
    'are confirmed by another superadmin (202, `/admin/proposals/`). You cannot disable or ' +
    'demote your own account, and one superadmin always remains.',
  responses: { 200: StaffMemberSchema, 202: ProposalSchema },
  errors: [staffErrors.last_superadmin, proposalErrors.proposal_pending],
  example: { body: { role: 'OPERATIONS' }, reply: staffExample },
  handler: async (input: Input<Static<typeof ChangeBody>>) => {
    const { role, first_name, last_name, disabled } = input.body
    const changes = {
      ...(role === undefined ? {} : { staff_role: role }),
      ...(first_name === undefined ? {} : { first_name }),
      ...(last_name === undefined ? {} : { last_name }),
      ...(disabled === undefined ? {} : { disabled }),
    }
    const id = uuidParam(input, 'id')
    return answer(await changeStaff(db, input.person, { ...changes, id }), 200)
  },
})

const resetRoute = (deps: InviteDeps): Listed => ({
  ...ofOne,
  method: 'POST',
  path: '/admin/staff/:id/reset-second-factor/',
  summary: 'Remove a lost second factor',
  description:
    'For another member of staff, once a second superadmin has confirmed it (202, ' +
    '`/admin/proposals/`): their sessions end, and they enrol a new one. 200: there was none.',
  responses: { 200: StaffMemberSchema, 202: ProposalSchema },
  errors: [proposalErrors.proposal_pending],
  example: { reply: { ...staffExample, totp_enabled: false } },
  handler: async (input) => {
    const id = uuidParam(input, 'id')
    return answer(await resetSecondFactor(deps, input.person, id), 200)
  },
})
