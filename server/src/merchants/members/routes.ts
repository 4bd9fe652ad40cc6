// Members of the merchant (contract 3.4), and the invitations that make them.

import { type Static, Type } from 'typebox'
import type { Db } from '../../platform/db.ts'
import { enumFilter, flagFilter, flagSchema, uuidParam } from '../../platform/http/filters.ts'
import { sortedPage } from '../../platform/http/lists.ts'
import { type Input, noContent, ok, type ServedRoute } from '../../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  reads,
  routesWith,
  searchFilter,
} from '../../platform/http/route-list.ts'
import { roles } from '../roles.ts'
import { changeRole, removeMember } from './change-members.ts'
import { type InvitationDeps, invitationRoutes } from './invitations/invitation-routes.ts'
import { type Member, MemberSchema, memberErrors, memberExample, viewMember } from './member.ts'
import { getMember } from './member-rights.ts'
import { listRows } from './store.ts'
import { keyLeftExample, RemovedSchema, viewKeyLeft } from './view.ts'

export type Deps = InvitationDeps & Readonly<{ db: Db }>

const ordered = ['created_at', 'email', 'role'] as const

const ChangeBody = Type.Object({ role: Type.Enum([...roles]) })

export const memberRoutes = (deps: Deps): ServedRoute[] =>
  routesWith({ tag: 'Members', access: 'dashboard' }, [
    listRoute(deps),
    ...routesOfOne(deps),
    ...invitationRoutes(deps),
  ])

const listRoute = ({ db }: Deps): Listed => ({
  path: '/merchant-members/',
  ...numberList(MemberSchema, memberExample, {
    role: Type.Optional(Type.Enum([...roles])),
    search: searchFilter('Searches name and e-mail.'),
    ordering: orderingBy(ordered),
  }),
  summary: 'List members',
  handler: async (input) => {
    const role = enumFilter(input.query, 'role', roles)
    const all = await listRows(db, input.caller.merchant_id)
    const rows = all.filter((row) => role === undefined || row.role === role)
    const words = (row: Member) => [`${row.first_name} ${row.last_name}`, row.email]
    return ok(sortedPage(input, { rows, fields: ordered, words, view: viewMember }))
  },
})

const ofOne = {
  path: '/merchant-members/:id/',
} as const

const routesOfOne = ({ db, ...deps }: Deps): Listed[] => [
  {
    ...ofOne,
    summary: 'Retrieve a member',
    ...reads(MemberSchema, memberExample),
    handler: async (input) => {
      const { merchant_id } = input.caller
      return ok(viewMember(await getMember(db, { merchant_id, person_id: uuidParam(input, 'id') })))
    },
  },
  {
    ...ofOne,
    method: 'PATCH',
    permission: 'members',
    second_factor: 'account',
    body: ChangeBody,
    summary: 'Change a member’s role',
    description:
      'Takes effect on the next request. Only an owner can grant or remove OWNER, and one owner ' +
      'always remains. Open invitations that the member may no longer send are void.',
    responses: { 200: MemberSchema },
    errors: [memberErrors.last_owner],
    example: { body: { role: 'FINANCE' }, reply: memberExample },
    handler: async (input: Input<Static<typeof ChangeBody>>) => {
      const change = { id: uuidParam(input, 'id'), role: input.body.role }
      return ok(viewMember(await changeRole({ ...deps, db }, input.caller, change)))
    },
  },
  {
    ...ofOne,
    method: 'DELETE',
    // Anybody may leave; whether they may remove another is decided by the verb.
    permission: 'read',
    second_factor: 'account',
    summary: 'Remove a member, or leave',
    description:
      'With your own id, you leave. Removing someone else requires the right to manage members; ' +
      'only an owner can remove an owner, and one owner always remains. The member’s keys keep ' +
      'working unless `revoke_keys` revokes them, which requires the right to manage keys. The ' +
      'answer is 204, or 200 with the keys that they made where `revoke_keys` is given.',
    query: Type.Object({ revoke_keys: Type.Optional(flagSchema) }),
    responses: { 200: RemovedSchema, 204: null },
    errors: [memberErrors.last_owner],
    example: { reply: { keys: [keyLeftExample], keys_revoked: false } },
    handler: async (input) => {
      const asked = flagFilter(input.query, 'revoke_keys')
      const removal = { id: uuidParam(input, 'id'), revoke_keys: asked === true }
      const { keys, keys_revoked } = await removeMember({ ...deps, db }, input.caller, removal)
      // A plain deletion is 204, as every other is (contract 1.5).
      if (asked === undefined) return noContent
      return ok({ keys: keys.map(viewKeyLeft), keys_revoked })
    },
  },
]
