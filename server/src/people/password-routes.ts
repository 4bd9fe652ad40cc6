// Passwords and e-mail addresses: proving an address, requesting a new password, setting it,
// changing it (contract 3.3). Members at `/auth/…`, staff at `/admin/auth/…`.

import { type Static, Type } from 'typebox'
import type { Text } from '../platform/errors.ts'
import { type Input, ok, type Route } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { type Area, memberArea, staffArea } from './area.ts'
import {
  type ChangeDeps,
  changePassword,
  type ForgotDeps,
  forgotPassword,
  type ResetDeps,
  resetPassword,
} from './change-password.ts'
import { checkPassword } from './password.ts'
import { emailField, type Kind, passwordField, personExample } from './person.ts'
import { tokenField as sessionToken, withSession } from './sessions/session-reply.ts'
import {
  type ResendDeps,
  resendVerification,
  type VerifyDeps,
  verifyEmail,
} from './verify-email.ts'

export type PasswordDeps = ForgotDeps & ResetDeps & ChangeDeps & ResendDeps & VerifyDeps

export const passwordRoutes = (deps: PasswordDeps): Route[] => [
  verifyRoute(deps),
  resendRoute(deps),
  ...passwordRoutesOf(deps, { area: memberArea, kind: 'MEMBER' }),
  ...passwordRoutesOf(deps, { area: staffArea, kind: 'STAFF' }),
]

type PasswordArea = Readonly<{ area: Area; kind: Kind }>

const passwordRoutesOf = (deps: PasswordDeps, of: PasswordArea): Route[] => [
  forgotRoute(deps, of),
  resetRoute(deps, of),
  changeRoute(deps, of),
]

const tokenField = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The part after `#` in the e-mailed link. Works once.',
})
const token = 'kV2r8QpZ0mJ3xT7bC4nR9sW1yD6fG5hL0aE3iU7oKqP'

const VerifyBody = Type.Object({
  token: tokenField,
  password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description:
        'The account’s current password: keeps its second factor, sessions and memberships.',
    }),
  ),
})

const verifyRoute = (deps: PasswordDeps): Route => ({
  method: 'POST',
  path: '/auth/email/verify/',
  access: 'public',
  body: VerifyBody,
  summary: 'Verify an e-mail address',
  description:
    'With the e-mailed token, within three days. An owner’s address must be verified before the ' +
    'merchant can work in live mode. Without the password, whatever another person may have set ' +
    'up in the account is removed: its second factor, and memberships alongside other owners; ' +
    '`must_choose_password` is then true and an e-mail asks for a new password.',
  tag: memberArea.open_to.tag,
  responses: {
    200: Type.Object(
      { verified: Type.Boolean(), must_choose_password: Type.Optional(Type.Boolean()) },
      { title: 'EmailVerified' },
    ),
  },
  errors: [accessErrors.rate_limited],
  example: { body: { token }, reply: { verified: true } },
  handler: async ({ body, ip, request_id }: Input<Static<typeof VerifyBody>>) => {
    const { needs_password } = await verifyEmail(deps, { ...body, ip, request_id })
    return ok({ verified: true, ...(needs_password ? { must_choose_password: true } : {}) })
  },
})

const resendRoute = (deps: PasswordDeps): Route => ({
  ...memberArea.open_to,
  method: 'POST',
  path: '/auth/email/resend/',
  summary: 'Resend the verification e-mail',
  description:
    '`sent` is false when the address is already verified. Links in earlier e-mails stop ' +
    'working.',
  responses: {
    200: Type.Object({ sent: Type.Boolean() }, { title: 'VerificationSent' }),
  },
  errors: [accessErrors.rate_limited],
  example: { reply: { sent: true } },
  handler: async ({ person }) => ok({ sent: await resendVerification(deps, person) }),
})

const forgotText: Text = {
  en: 'If an account exists with this e-mail, a message is on its way to it.',
  fr: 'Si un compte existe avec cet e-mail, un message lui a été envoyé.',
}

const ForgotBody = Type.Object({ email: emailField })

const forgotRoute = (deps: PasswordDeps, { area, kind }: PasswordArea): Route => ({
  method: 'POST',
  path: `${area.path}/password/forgot/`,
  access: 'public',
  body: ForgotBody,
  summary: 'Request a password reset e-mail',
  description: 'The answer is the same, and takes as long, whether or not the account exists.',
  tag: area.open_to.tag,
  responses: {
    200: Type.Object({ message: Type.String() }, { title: 'PasswordForgotten' }),
  },
  errors: [accessErrors.rate_limited],
  example: { body: { email: personExample.email }, reply: { message: forgotText.en } },
  handler: async ({ body, ip, request_id, locale }: Input<Static<typeof ForgotBody>>) => {
    await forgotPassword(deps, { kind, email: body.email, ip, request_id })
    return ok({ message: forgotText[locale] })
  },
})

const ResetBody = Type.Object({ token: tokenField, password: passwordField })

const resetRoute = (deps: PasswordDeps, { area, kind }: PasswordArea): Route => ({
  method: 'POST',
  path: `${area.path}/password/reset/`,
  access: 'public',
  body: ResetBody,
  check: checkPassword,
  summary: 'Set a new password with an e-mailed token',
  description:
    'With the e-mailed token, within an hour. Every session ends; sign in again afterwards.',
  tag: area.open_to.tag,
  responses: {
    200: Type.Object({ changed: Type.Boolean() }, { title: 'PasswordReset' }),
  },
  example: { body: { token, password: 'a long pass phrase' }, reply: { changed: true } },
  handler: async ({ body, ip, request_id }: Input<Static<typeof ResetBody>>) => {
    await resetPassword(deps, { ...body, kind, ip, request_id })
    return ok({ changed: true })
  },
})

const ChangeBody = Type.Object({
  current_password: Type.String({ minLength: 1, maxLength: 1000 }),
  password: passwordField,
})

const ChangedSchema = Type.Object(
  {
    token: sessionToken('For this device’s new session.'),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'PasswordChanged' },
)

const changed = {
  token: 'sess_X7pZ0kQ3vJ2mT9bC4nR8sW1yD6fG5hL0aE3iU7oKqPs',
  expires_at: '2026-11-28T08:00:00.000Z',
}

const changeRoute = (deps: PasswordDeps, { area }: PasswordArea): Route => ({
  ...area.open_to,
  method: 'POST',
  path: `${area.path}/password/change/`,
  body: ChangeBody,
  session_cookie: 'set',
  check: checkPassword,
  summary: 'Change your password',
  description:
    'Every session ends, including this one; the answer holds a new session for this device, in ' +
    'which no second-factor code has been given yet.',
  responses: { 200: ChangedSchema },
  errors: [accessErrors.rate_limited],
  example: {
    body: { current_password: 'a long pass phrase', password: 'another long pass phrase' },
    reply: changed,
  },
  handler: async ({ person, body, headers, browser }: Input<Static<typeof ChangeBody>>) => {
    const user_agent = [headers['user-agent'] ?? ''].flat().join(' ')
    const made = await changePassword(deps, person, { ...body, user_agent })
    return withSession(made, { data: {}, by_cookie: browser?.by_cookie })
  },
})
