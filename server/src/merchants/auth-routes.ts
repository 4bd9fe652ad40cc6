// `/auth/…`: sign up, log in, log out, who am I (contract 3.3).

import { type Static, Type } from 'typebox'
import { isServed } from '../catalogue/read-catalogue.ts'
import { CountryInput } from '../catalogue/view.ts'
import { deviceTokenField, loginCodeField } from '../people/device.ts'
import { peopleErrors } from '../people/errors.ts'
import { changeProfile, findPerson } from '../people/keep-person.ts'
import { checkPassword } from '../people/password.ts'
import { emailField, nameField, passwordField, viewPerson } from '../people/person.ts'
import { endSession } from '../people/sessions/session.ts'
import {
  cookieField,
  farewell,
  wantsCookie,
  withSession,
} from '../people/sessions/session-reply.ts'
import { viewCurrentSession } from '../people/sessions/session-view.ts'
import { type SignedIn, signIn } from '../people/sign-in.ts'
import { type LinkDeps, signInByLink } from '../people/sign-in-by-link.ts'
import { assert, refuse } from '../platform/errors.ts'
import { type Input, ok, type Person, type Reply, type Route } from '../platform/http/route.ts'
import { type Listed, reads, routesWith } from '../platform/http/route-list.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import {
  belongingExample,
  loginExample,
  MeSchema,
  meExample,
  SignedInSchema,
  signedInExample,
  viewBelonging,
} from './auth-view.ts'
import { merchantErrors } from './errors.ts'
import { type RegisterDeps, register } from './register.ts'
import { listBelongings } from './store.ts'

export type AuthDeps = RegisterDeps &
  LinkDeps &
  Readonly<{
    /** Where merchants ask for help; null: nobody has said. */
    support_contact: string | null
  }>

const RegisterBody = Type.Object({
  merchant_name: Type.String({ minLength: 1, maxLength: 150, format: 'one-line' }),
  country: CountryInput,
  email: emailField,
  password: passwordField,
  first_name: nameField,
  last_name: nameField,
  phone: Type.Optional(Type.String({ maxLength: 32 })),
  cookie: cookieField,
})

const LoginBody = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 1000 }),
  totp: loginCodeField,
  device_token: deviceTokenField,
  cookie: cookieField,
})

const LinkBody = Type.Object({
  token: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The part after `#` in the link. Works once.',
  }),
  totp: loginCodeField,
  cookie: cookieField,
})

const ChangeMeBody = Type.Object({
  first_name: Type.Optional(nameField),
  last_name: Type.Optional(nameField),
  phone: Type.Optional(Type.String({ maxLength: 32 })),
  locale: Type.Optional(Type.Enum(['en', 'fr'])),
})

export const authRoutes = (deps: AuthDeps): Route[] =>
  routesWith({ tag: 'Identity', access: 'person' }, [
    registerRoute(deps),
    loginRoute(deps),
    linkRoute(deps),
    logoutRoute(deps),
    meRoute(deps),
    changeMeRoute(deps),
  ])

async function signedIn(
  deps: AuthDeps,
  { session, person, device_token }: SignedIn,
  answering: Readonly<{ by_cookie: boolean; status?: number }>,
): Promise<Reply> {
  const merchants = await listBelongings(deps.db, person.id)
  const shown = { member: viewPerson(person), merchants: merchants.map(viewBelonging) }
  return withSession(session, { ...answering, data: { ...shown, device_token } })
}

const userAgentOf = ({ headers }: Pick<Input, 'headers'>): string =>
  [headers['user-agent'] ?? ''].flat().join(' ')

const registerRoute = (deps: AuthDeps): Listed => ({
  method: 'POST',
  path: '/auth/register/',
  access: 'public',
  body: RegisterBody,
  session_cookie: 'set',
  check: checkPassword,
  summary: 'Sign up a merchant and its owner',
  description: 'The sandbox works at once. Live mode requires a verified e-mail and approval.',
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
    const by_cookie = wantsCookie(input)
    const country = body.country.toUpperCase()
    if (!(await isServed(deps.db, country))) throw refuse(merchantErrors.invalid_country)
    const user_agent = userAgentOf(input)
    const more = { phone: body.phone ?? '', locale, ip, request_id, user_agent }
    const made = await register(deps, { ...body, country, ...more })
    return signedIn(deps, made, { by_cookie, status: 201 })
  },
})

const loginRoute = (deps: AuthDeps): Listed => ({
  method: 'POST',
  path: '/auth/login/',
  access: 'public',
  body: LoginBody,
  session_cookie: 'set',
  summary: 'Sign in',
  description:
    '`totp` is a code from the authenticator app or a recovery code, if a second factor is ' +
    'enrolled.',
  responses: { 200: SignedInSchema },
  errors: [peopleErrors.not_authenticated, peopleErrors.totp_required, accessErrors.rate_limited],
  example: { body: loginExample, reply: signedInExample },
  handler: async (input: Input<Static<typeof LoginBody>>) => {
    const { body, ip, request_id } = input
    const by_cookie = wantsCookie(input)
    const from = { ip, user_agent: userAgentOf(input), request_id }
    const made = await signIn(deps, { ...body, ...from, kind: 'MEMBER' })
    return signedIn(deps, made, { by_cookie })
  },
})

const linkRoute = (deps: AuthDeps): Listed => ({
  method: 'POST',
  path: '/auth/login/link/',
  access: 'public',
  body: LinkBody,
  session_cookie: 'set',
  summary: 'Sign in by the link of a demo’s start',
  description:
    'Where the service runs as a demo for this machine alone, each start prints a link for the ' +
    'owner of the demo merchant: it signs them in once, within ten minutes. A 400 on `token` ' +
    'means that it was used, has expired or is unknown, as every token is elsewhere. `totp` as ' +
    'in `POST /auth/login/`; a missing or wrong code does not use the link up.',
  responses: { 200: SignedInSchema },
  errors: [peopleErrors.totp_required, accessErrors.rate_limited],
  example: {
    body: { token: 'kV2r8QpZ0mJ3xT7bC4nR9sW1yD6fG5hL0aE3iU7oKqP' },
    reply: signedInExample,
  },
  handler: async (input: Input<Static<typeof LinkBody>>) => {
    const { body, ip, request_id } = input
    const by_cookie = wantsCookie(input)
    const from = { ip, user_agent: userAgentOf(input), request_id }
    return signedIn(deps, await signInByLink(deps, { ...body, ...from }), { by_cookie })
  },
})

const logoutRoute = (deps: AuthDeps): Listed => ({
  method: 'POST',
  path: '/auth/logout/',
  session_cookie: 'deleted',
  summary: 'Sign out',
  description: 'Ends the current session. A session cookie is deleted with it.',
  responses: { 204: null },
  example: {},
  handler: async ({ person, browser }) => {
    await endSession(deps.db, person, person.session_id)
    return farewell(browser)
  },
})

const meRoute = (deps: AuthDeps): Listed => ({
  path: '/auth/me/',
  summary: 'Retrieve your profile and your merchants',
  ...reads(MeSchema, meExample),
  handler: async ({ person }) => ok(await readMe(deps, person)),
})

const changeMeRoute = (deps: AuthDeps): Listed => ({
  method: 'PATCH',
  path: '/auth/me/',
  body: ChangeMeBody,
  summary: 'Update your profile',
  description: '`locale` is the language of your e-mails. An empty `phone` removes it.',
  responses: { 200: MeSchema },
  example: { body: { first_name: 'Awa', locale: 'fr' }, reply: meExample },
  handler: async ({ person, body }: Input<Static<typeof ChangeMeBody>>) => {
    const { first_name, last_name, phone, locale } = body
    const fields = { first_name, last_name, phone, locale }
    await changeProfile(deps.db, person, fields)
    return ok(await readMe(deps, person))
  },
})

async function readMe({ db, support_contact }: AuthDeps, caller: Person) {
  const person = await findPerson(db, caller.person_id)
  assert(person !== undefined, 'a session without a person')
  const merchants = (await listBelongings(db, caller.person_id)).map(viewBelonging)
  const session = viewCurrentSession(caller)
  return { member: viewPerson(person), merchants, ...session, support_contact }
}
