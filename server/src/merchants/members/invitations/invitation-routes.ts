// Invitations: sent, listed, resent and revoked by members; read and accepted with the e-mail's
// token, which is in the body, where no log keeps it.

import { type Static, Type } from 'typebox'
import { peopleErrors } from '../../../people/errors.ts'
import { emailField, nameField } from '../../../people/person.ts'
import { enumFilter, newestFirst, singleSort, uuidParam } from '../../../platform/http/filters.ts'
import { listByNumber } from '../../../platform/http/lists.ts'
import { created, type Input, ok, type Route } from '../../../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  removes,
  routesWith,
  searchFilter,
} from '../../../platform/http/route-list.ts'
import { accessErrors } from '../../../platform/http/transport-errors.ts'
import { countOrRefuse, networkOf } from '../../../platform/throttle/throttle.ts'
import { roles } from '../../roles.ts'
import { type AcceptDeps, acceptInvitation, previewInvitation } from './accept-invitation.ts'
import {
  inviteMember,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from './change-invitations.ts'
import type { InvitationEmailDeps } from './email-invitation.ts'
import {
  InvitationSchema,
  invitationErrors,
  invitationExample,
  invitationStatuses,
  viewInvitation,
} from './invitation.ts'

export type InvitationDeps = InvitationEmailDeps &
  AcceptDeps &
  Readonly<{ limits: Readonly<{ public_per_ip_minute: number }> }>

const identity_tag = 'Identity'
const ordered = ['created_at'] as const

export const invitationRoutes = (deps: InvitationDeps): Route[] =>
  routesWith({ tag: 'Members', access: 'dashboard' }, [
    listRoute(deps),
    inviteRoute(deps),
    resendRoute(deps),
    revokeRoute(deps),
    previewRoute(deps),
    acceptRoute(deps),
  ])

const listRoute = ({ db }: InvitationDeps): Listed => ({
  path: '/merchant-invitations/',
  permission: 'members',
  ...numberList(InvitationSchema, invitationExample, {
    status: Type.Optional(Type.Enum([...invitationStatuses])),
    search: searchFilter('Searches the e-mail.'),
    ordering: orderingBy(ordered),
  }),
  summary: 'List invitations',
  handler: listByNumber(viewInvitation, ({ caller, query }, cut) =>
    listInvitations(db, {
      merchant_id: caller.merchant_id,
      status: enumFilter(query, 'status', invitationStatuses),
      search: query['search'],
      descending: singleSort(query, ordered, newestFirst).descending,
      ...cut,
    }),
  ),
})

const InviteBody = Type.Object({
  email: emailField,
  role: Type.Enum([...roles]),
})

const inviteRoute = (deps: InvitationDeps): Listed => ({
  method: 'POST',
  path: '/merchant-invitations/',
  permission: 'members',
  second_factor: 'account',
  body: InviteBody,
  summary: 'Invite a member by e-mail',
  description:
    'The e-mailed link works once, for seven days, and only while its sender may invite for ' +
    'that role. It replaces any open invitation for the same e-mail. Only an owner can invite ' +
    'owners.',
  responses: { 201: InvitationSchema },
  errors: [invitationErrors.already_member, accessErrors.rate_limited],
  example: { body: { email: 'kofi@shop.example', role: 'FINANCE' }, reply: invitationExample },
  handler: async ({ caller, body }: Input<Static<typeof InviteBody>>) =>
    created(viewInvitation(await inviteMember(deps, caller, body))),
})

const ofOne = {
  permission: 'members',
  second_factor: 'account',
} as const

const resendRoute = (deps: InvitationDeps): Listed => ({
  ...ofOne,
  method: 'POST',
  path: '/merchant-invitations/:id/resend/',
  summary: 'Resend an invitation',
  description: 'The new link works for seven days; the previous one stops working.',
  responses: { 200: InvitationSchema },
  errors: [
    invitationErrors.invitation_not_open,
    invitationErrors.already_member,
    accessErrors.rate_limited,
  ],
  example: { reply: invitationExample },
  handler: async (input) =>
    ok(viewInvitation(await resendInvitation(deps, input.caller, uuidParam(input, 'id')))),
})

const revokeRoute = ({ db }: InvitationDeps): Listed => ({
  ...ofOne,
  path: '/merchant-invitations/:id/',
  summary: 'Revoke an invitation',
  errors: [invitationErrors.invitation_not_open],
  ...removes((input) => revokeInvitation(db, input.caller, uuidParam(input, 'id'))),
})

/** Guessing tokens is as slow as on any public page. */
const countPreview = ({ db, keyring, limits }: InvitationDeps, ip: string): Promise<void> =>
  countOrRefuse(
    { db, macs: keyring },
    {
      act: 'invitation-ip',
      target: networkOf(ip),
      most: limits.public_per_ip_minute,
      within_s: 60,
    },
  )

const tokenField = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The part after `#` in the e-mailed link. Works once.',
})
const tokenExample = 'AZgfOgAAcACAAAAAAACgAWtWMnI4UXBaMG1KM3hUN2JDNG5SOXNXMXlENmZHNWhM'

const PreviewBody = Type.Object({ token: tokenField })

const PreviewSchema = Type.Object(
  {
    merchant_name: Type.String(),
    email: Type.String(),
    role: Type.Enum([...roles]),
    has_account: Type.Boolean({
      description: 'If true, accepting it takes the account’s current password.',
    }),
  },
  { title: 'InvitationPreview' },
)

const previewRoute = (deps: InvitationDeps): Listed => ({
  method: 'POST',
  path: '/auth/invitations/preview/',
  access: 'public',
  body: PreviewBody,
  summary: 'Look up an invitation',
  description: 'Does not use it up. An invalid token answers 400 on `token`.',
  tag: identity_tag,
  responses: { 200: PreviewSchema },
  errors: [accessErrors.rate_limited],
  example: {
    body: { token: tokenExample },
    reply: {
      merchant_name: 'Boutique Awa',
      email: 'kofi@shop.example',
      role: 'FINANCE',
      has_account: false,
    },
  },
  handler: async ({ body, ip }: Input<Static<typeof PreviewBody>>) => {
    await countPreview(deps, ip)
    const { merchant_name, email, role, has_account } = await previewInvitation(deps.db, body.token)
    return ok({ merchant_name, email, role, has_account })
  },
})

const AcceptBody = Type.Object({
  token: tokenField,
  password: Type.String({
    minLength: 1,
    maxLength: 1000,
    description:
      'The password of the existing account, or of the one to be created (8 to 128 characters).',
  }),
  first_name: Type.Optional(nameField),
  last_name: Type.Optional(nameField),
})

const AcceptedSchema = Type.Object(
  {
    merchant: Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() }),
    role: Type.Enum([...roles]),
  },
  { title: 'InvitationAccepted' },
)

const acceptRoute = (deps: InvitationDeps): Listed => ({
  method: 'POST',
  path: '/auth/invitations/accept/',
  access: 'public',
  body: AcceptBody,
  summary: 'Accept an invitation',
  description:
    'If the invitee has an account, send its password; otherwise an account is created with its ' +
    'e-mail verified, and both names are required. Sign in afterwards. An invalid token answers ' +
    '400 on `token`.',
  tag: identity_tag,
  responses: { 200: AcceptedSchema },
  errors: [
    peopleErrors.not_authenticated,
    peopleErrors.email_taken,
    invitationErrors.already_member,
    accessErrors.merchant_suspended,
    accessErrors.rate_limited,
  ],
  example: {
    body: {
      token: tokenExample,
      password: 'a long pass phrase',
      first_name: 'Kofi',
      last_name: 'Mensah',
    },
    reply: {
      merchant: { id: '01981f3a-0000-7000-8000-00000000a001', name: 'Boutique Awa' },
      role: 'FINANCE',
    },
  },
  handler: async ({ body, ip, request_id, locale }: Input<Static<typeof AcceptBody>>) => {
    await countPreview(deps, ip)
    const from = { ip, request_id, locale }
    const accepted = await acceptInvitation(deps, { ...body, ...from })
    const { merchant_id: id, merchant_name: name, role } = accepted
    return ok({ merchant: { id, name }, role })
  },
})
