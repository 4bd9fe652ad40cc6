// `/auth/…`: sign up, log in, log out, who am I (contract 3.3).

import { type Static, Type } from 'typebox'
import { isServed } from '../catalogue/find-country.ts'
import { CountryInput } from '../catalogue/view.ts'
import {
  DeviceTokenSchema,
  deviceTokenExample,
  deviceTokenField,
} from '../people/device-token-field.ts'
import { endSession } from '../people/end-session.ts'
import { peopleErrors } from '../people/errors.ts'
import { findPerson } from '../people/find-person.ts'
import { checkPassword } from '../people/password-rules.ts'
import {
  emailField,
  nameField,
  PersonSchema,
  passwordField,
  personExample,
  viewPerson,
} from '../people/person.ts'
import { changeProfile } from '../people/profile/change-profile.ts'
import { type SignedIn, type SignInDeps, signIn } from '../people/sign-in.ts'
import { assert, refuse } from '../platform/errors.ts'
import { type Input, noContent, ok, type Reply, type Route } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { merchantErrors } from './errors.ts'
import { type RegisterDeps, register } from './register.ts'
import { roles } from './roles.ts'
import { type Belonging, listBelongings } from './store.ts'

export type AuthDeps = RegisterDeps & SignInDeps

const tag = 'Identity'

const RegisterBody = Type.Object({
  merchant_name: Type.String({ minLength: 1, maxLength: 150 }),
  country: CountryInput,
  email: emailField,
  password: passwordField,
  first_name: nameField,
  last_name: nameField,
  phone: Type.Optional(Type.String({ maxLength: 32 })),
})

const LoginBody = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 1000 }),
  totp: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  device_token: deviceTokenField,
})

const ChangeMeBody = Type.Object({
  first_name: Type.Optional(nameField),
  last_name: Type.Optional(nameField),
  phone: Type.Optional(Type.String({ maxLength: 32 })),
  locale: Type.Optional(Type.Enum(['en', 'fr'])),
})

const BelongingSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    role: Type.Enum([...roles]),
    status: Type.Enum(['ACTIVE', 'SUSPENDED']),
    country: Type.Union([Type.String(), Type.Null()]),
    live_enabled: Type.Boolean(),
    kyc_status: Type.Enum(['NONE', 'PENDING', 'APPROVED', 'REJECTED']),
  },
  { title: 'MembersMerchant' },
)

export const SignedInSchema = Type.Object(
  {
    token: Type.String({ description: 'Send it as `Authorization: Bearer`. Shown only once.' }),
    expires_at: Type.String({ format: 'date-time' }),
    member: PersonSchema,
    merchants: Type.Array(BelongingSchema),
    device_token: DeviceTokenSchema,
  },
  { title: 'SignedIn' },
)

const MeSchema = Type.Object(
  { member: PersonSchema, merchants: Type.Array(BelongingSchema) },
  { title: 'Me' },
)

const belongingExample = {
  id: '01981f3a-0000-7000-8000-00000000a001',
  name: 'Boutique Awa',
  role: 'OWNER',
  status: 'ACTIVE',
  country: 'SN',
  live_enabled: false,
  kyc_status: 'NONE',
}
const meExample = { member: personExample, merchants: [belongingExample] }
const signedInExample = {
  token: 'sess_X7pZ0kQ3vJ2mT9bC4nR8sW1yD6fG5hL0aE3iU7oKqPs',
  expires_at: '2026-11-28T08:00:00.000Z',
  ...meExample,
  device_token: deviceTokenExample,
}
const loginExample = { email: personExample.email, password: 'a long pass phrase' }

export const authRoutes = (deps: AuthDeps): Route[] => [
  registerRoute(deps),
  loginRoute(deps),
  logoutRoute(deps),
  meRoute(deps),
  changeMeRoute(deps),
]

const viewBelonging = (belonging: Belonging) => ({
  id: belonging.id,
  name: belonging.name,
  role: belonging.role,
  status: belonging.status,
  country: belonging.country,
  live_enabled: belonging.live_enabled,
  kyc_status: belonging.kyc_status,
})

async function signedIn(deps: AuthDeps, status: number, result: SignedIn): Promise<Reply> {
  const merchants = await listBelongings(deps.db, result.person.id)
  const data = {
    token: result.session.token,
    expires_at: result.session.expires_at.toISOString(),
    member: viewPerson(result.person),
    merchants: merchants.map(viewBelonging),
    device_token: result.device_token,
  }
  return { status, data, headers: { 'Cache-Control': 'no-store' } }
}

const registerRoute = (deps: AuthDeps): Route => ({
  method: 'POST',
  path: '/auth/register/',
  access: 'public',
  body: RegisterBody,
  check: checkPassword,
  summary: 'Sign up a merchant and its owner',
  description: 'The sandbox works at once. Live mode requires a verified e-mail and approval.',
  tag,
  responses: { 201: SignedInSchema },
  errors: [peopleErrors.email_taken, merchantErrors.invalid_country, accessErrors.rate_limited],
  example: {
    body: {
      merchant_name: belongingExample.name,
      country: 'SN',
      ...loginExample,
      first_name: 'Awa',
      last_name: 'Diop',
    },
    reply: signedInExample,
  },
  handler: async (input: Input<Static<typeof RegisterBody>>) => {
    const { body, locale, ip, request_id } = input
    const country = body.country.toUpperCase()
    if (!(await isServed(deps.db, country))) throw refuse(merchantErrors.invalid_country)
    const user_agent = [input.headers['user-agent'] ?? ''].flat().join(' ')
    const more = { phone: body.phone ?? '', locale, ip, request_id, user_agent }
    return signedIn(deps, 201, await register(deps, { ...body, country, ...more }))
  },
})

const loginRoute = (deps: AuthDeps): Route => ({
  method: 'POST',
  path: '/auth/login/',
  access: 'public',
  body: LoginBody,
  summary: 'Log in',
  description:
    '`totp` is a code from the authenticator app or a recovery code, if a second factor is ' +
    'enrolled.',
  tag,
  responses: { 200: SignedInSchema },
  errors: [peopleErrors.not_authenticated, peopleErrors.totp_required, accessErrors.rate_limited],
  example: { body: loginExample, reply: signedInExample },
  handler: async (input: Input<Static<typeof LoginBody>>) => {
    const { body, ip, request_id } = input
    const user_agent = [input.headers['user-agent'] ?? ''].flat().join(' ')
    const from = { ip, user_agent, request_id }
    return signedIn(deps, 200, await signIn(deps, { ...body, ...from, kind: 'MEMBER' }))
  },
})

const logoutRoute = (deps: AuthDeps): Route => ({
  method: 'POST',
  path: '/auth/logout/',
  access: 'person',
  summary: 'Log out',
  description: 'Ends the current session.',
  tag,
  responses: { 204: null },
  example: {},
  handler: async ({ person }) => {
    await endSession(deps.db, person, person.session_id)
    return noContent
  },
})

const meRoute = (deps: AuthDeps): Route => ({
  method: 'GET',
  path: '/auth/me/',
  access: 'person',
  summary: 'Retrieve your profile and your merchants',
  tag,
  responses: { 200: MeSchema },
  example: { reply: meExample },
  handler: async ({ person }) => ok(await readMe(deps, person.person_id)),
})

const changeMeRoute = (deps: AuthDeps): Route => ({
  method: 'PATCH',
  path: '/auth/me/',
  access: 'person',
  body: ChangeMeBody,
  summary: 'Update your profile',
  description: '`locale` is the language of your e-mails. An empty `phone` removes it.',
  tag,
  responses: { 200: MeSchema },
  example: { body: { first_name: 'Awa', locale: 'fr' }, reply: meExample },
  handler: async ({ person, body }: Input<Static<typeof ChangeMeBody>>) => {
    const { first_name, last_name, phone, locale } = body
    const fields = { first_name, last_name, phone, locale }
    await changeProfile(deps.db, person, fields)
    return ok(await readMe(deps, person.person_id))
  },
})

async function readMe({ db }: AuthDeps, person_id: string) {
  const person = await findPerson(db, person_id)
  assert(person !== undefined, 'a session without a person')
  const merchants = await listBelongings(db, person_id)
  return { member: viewPerson(person), merchants: merchants.map(viewBelonging) }
}
