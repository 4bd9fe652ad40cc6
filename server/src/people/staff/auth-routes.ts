// `/admin/auth/…`: staff log in and out, and read their own account (contract 3.5). Open to all of
// them, since those without a second factor must be able to enrol one.

import { type Static, Type } from 'typebox'
import { assert } from '../../platform/errors.ts'
import { type Input, ok, type Route } from '../../platform/http/route.ts'
import { type Listed, reads, routesWith } from '../../platform/http/route-list.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import {
  DeviceTokenSchema,
  deviceTokenExample,
  deviceTokenField,
  loginCodeField,
} from '../device.ts'
import { peopleErrors } from '../errors.ts'
import { findPerson } from '../keep-person.ts'
import { endSession } from '../sessions/session.ts'
import {
  cookieField,
  farewell,
  tokenField,
  wantsCookie,
  withSession,
} from '../sessions/session-reply.ts'
import {
  ownSessionExample,
  ownSessionFields,
  viewCurrentSession,
} from '../sessions/session-view.ts'
import { type SignInDeps, signIn } from '../sign-in.ts'
import { staffPermissions } from '../staff-roles.ts'
import { OwnStaffSchema, ownExample, viewOwn } from './staff-member.ts'

const LoginBody = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 1000 }),
  totp: loginCodeField,
  device_token: deviceTokenField,
  cookie: cookieField,
})

const SignedInSchema = Type.Object(
  {
    token: tokenField('Send it as `Authorization: Bearer`.'),
    expires_at: Type.String({ format: 'date-time' }),
    staff: OwnStaffSchema,
    device_token: DeviceTokenSchema,
  },
  { title: 'StaffSignedIn' },
)

const MeSchema = Type.Object(
  {
    staff: OwnStaffSchema,
    permissions: Type.Array(Type.Enum([...staffPermissions])),
    ...ownSessionFields,
  },
  { title: 'StaffMe' },
)

export const staffAuthRoutes = (deps: SignInDeps): Route[] =>
  routesWith({ tag: 'Staff: identity', access: 'staff' }, [
    loginRoute(deps),
    logoutRoute(deps),
    meRoute(deps),
  ])

const loginRoute = (deps: SignInDeps): Listed => ({
  method: 'POST',
  path: '/admin/auth/login/',
  access: 'public',
  body: LoginBody,
  session_cookie: 'set',
  summary: 'Sign in as staff',
  description:
    '`totp` is a code from the authenticator app or a recovery code, if a second factor is ' +
    'enrolled. Without one, staff can sign in only to enrol it.',
  responses: { 200: SignedInSchema },
  errors: [peopleErrors.not_authenticated, peopleErrors.totp_required, accessErrors.rate_limited],
  example: {
    body: { email: ownExample.email, password: 'a long pass phrase', totp: '123456' },
    reply: {
      token: 'sess_X7pZ0kQ3vJ2mT9bC4nR8sW1yD6fG5hL0aE3iU7oKqPs',
      expires_at: '2026-11-28T08:00:00.000Z',
      staff: ownExample,
      device_token: deviceTokenExample,
    },
  },
  handler: async (input: Input<Static<typeof LoginBody>>) => {
    const { body, headers, ip, request_id } = input
    const by_cookie = wantsCookie(input)
    const user_agent = [headers['user-agent'] ?? ''].flat().join(' ')
    const request = { ...body, kind: 'STAFF', ip, user_agent, request_id } as const
    const { session, person, device_token } = await signIn(deps, request)
    return withSession(session, { by_cookie, data: { staff: viewOwn(person), device_token } })
  },
})

const logoutRoute = ({ db }: SignInDeps): Listed => ({
  method: 'POST',
  path: '/admin/auth/logout/',
  staff: 'self',
  session_cookie: 'deleted',
  summary: 'Sign out',
  description: 'Ends the current session. A session cookie is deleted with it.',
  responses: { 204: null },
  example: {},
  handler: async ({ person, browser }) => {
    await endSession(db, person, person.session_id)
    return farewell(browser)
  },
})

const meRoute = ({ db }: SignInDeps): Listed => ({
  path: '/admin/auth/me/',
  staff: 'self',
  summary: 'Retrieve your staff profile and rights',
  ...reads(MeSchema, {
    staff: ownExample,
    permissions: ['read', 'merchants', 'kyc', 'gateways', 'incidents'],
    ...ownSessionExample,
    ...{ second_factor: 'FRESH', second_factor_until: '2026-11-21T09:22:00.000Z' },
  }),
  handler: async ({ person: caller }) => {
    const person = await findPerson(db, caller.person_id)
    assert(person !== undefined, 'a session without a person')
    const { staff_permissions: permissions } = caller
    return ok({ staff: viewOwn(person), permissions, ...viewCurrentSession(caller) })
  },
})
