// `…/totp/…`: a person enrols a second factor, gives its codes and removes it again.

import { type Static, Type } from 'typebox'
import type { Input, Reply, Route } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import type { Area } from '../area.ts'
import { peopleErrors } from '../errors.ts'
import type { SessionRenewed } from '../open-session.ts'
import type { ProofDeps } from '../prove-password.ts'
import { beginEnrolment } from './begin-enrolment.ts'
import { confirmEnrolment } from './confirm-enrolment.ts'
import { disableSecondFactor } from './disable-second-factor.ts'
import type { SecondFactorEmailDeps } from './email-second-factor-change.ts'
import { renewRecoveryCodes } from './renew-recovery-codes.ts'
import { stepUp } from './step-up.ts'
import type { CodeDeps } from './with-code.ts'

export type TotpDeps = CodeDeps & ProofDeps & SecondFactorEmailDeps

const password = Type.String({ minLength: 1, maxLength: 1000 })
const appCode = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The 6 digits that the authenticator app shows.',
})
const anyCode = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The 6 digits that the authenticator app shows, or a recovery code.',
})

const EnrolBody = Type.Object({ password })
const ConfirmBody = Type.Object({ code: appCode })
const CodeBody = Type.Object({ code: anyCode })
const DisableBody = Type.Object({ password, code: anyCode })

const EnrolmentSchema = Type.Object(
  {
    secret: Type.String({ description: 'In base32, for apps that cannot scan.' }),
    otpauth_url: Type.String({ description: 'What the QR code holds.' }),
    qr_svg: Type.String({ description: 'The QR code as an SVG picture.' }),
  },
  { title: 'TotpEnrolment' },
)

const RecoveryCodesSchema = Type.Object(
  {
    recovery_codes: Type.Array(Type.String(), {
      description: 'Each opens the second factor once, without the app. Shown this once.',
    }),
  },
  { title: 'RecoveryCodes' },
)

const renewed = {
  token: Type.String({
    description:
      'Goes on in place of the token of this call, which ends in 10 seconds. Shown this once.',
  }),
  expires_at: Type.String({ format: 'date-time' }),
}

const EnrolledSchema = Type.Object(
  { ...RecoveryCodesSchema.properties, ...renewed },
  { title: 'TotpEnrolled' },
)

const VerifiedSchema = Type.Object(
  {
    verified_until: Type.String({
      format: 'date-time',
      description: 'Until then the new token may do what answers 403 `totp_required` otherwise.',
    }),
    ...renewed,
  },
  { title: 'TotpVerified' },
)

const DisabledSchema = Type.Object({ totp_enabled: Type.Boolean() }, { title: 'TotpDisabled' })

const code = '492039'
const pass_phrase = 'a long pass phrase'
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const enrolmentExample = {
  secret,
  otpauth_url: `otpauth://totp/Pirogue:awa%40shop.example?secret=${secret}&issuer=Pirogue`,
  qr_svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 49 49">…</svg>',
}
const renewedExample = {
  token: 'sess_X7pZ0kQ3vJ2mT9bC4nR8sW1yD6fG5hL0aE3iU7oKqPs',
  expires_at: '2026-11-28T08:00:00.000Z',
}
const codesExample = {
  recovery_codes: ['7K2M4-XQ0R9-B3WZ8-1H5TN-9CDEF', 'M4T7V-0Q8RZ-2KD6W-XN1HB-5GY3P'],
}

/** What is shown once must not be cached on its way. */
const once = (data: unknown): Reply => ({
  status: 200,
  data,
  headers: { 'Cache-Control': 'no-store' },
})

const viewRenewed = ({ token, expires_at }: SessionRenewed) => ({
  token,
  expires_at: expires_at.toISOString(),
})

const userAgent = (headers: Input['headers']): string =>
  [headers['user-agent'] ?? ''].flat().join(' ')

/** The same for members and for staff, each in their own area. */
export const totpRoutes = (deps: TotpDeps, area: Area): Route[] => [
  enrolRoute(deps, area),
  confirmRoute(deps, area),
  verifyRoute(deps, area),
  recoveryCodesRoute(deps, area),
  disableRoute(deps, area),
]

const byCode = [peopleErrors.totp_not_enrolled, accessErrors.rate_limited]

const enrolRoute = (deps: TotpDeps, { path, open_to }: Area): Route => ({
  ...open_to,
  method: 'POST',
  path: `${path}/totp/enrol/`,
  aliases: [`${path}/totp/enroll/`],
  body: EnrolBody,
  summary: 'Begin to enrol a second factor',
  description: 'Nothing is asked for before a code confirms it. Beginning again replaces it.',
  responses: { 200: EnrolmentSchema },
  errors: [peopleErrors.totp_already_enrolled, accessErrors.rate_limited],
  example: { body: { password: pass_phrase }, reply: enrolmentExample },
  handler: async ({ person, body }: Input<Static<typeof EnrolBody>>) =>
    once(await beginEnrolment(deps, person, body.password)),
})

const confirmRoute = (deps: TotpDeps, { path, open_to }: Area): Route => ({
  ...open_to,
  method: 'POST',
  path: `${path}/totp/confirm/`,
  body: ConfirmBody,
  summary: 'Confirm the second factor by its first code',
  description:
    'From now on logging in needs a code. All other sessions of the person end, and this one ' +
    'goes on under the new `token`, in which the code counts for 10 minutes.',
  responses: { 200: EnrolledSchema },
  errors: [peopleErrors.totp_already_enrolled, ...byCode],
  example: { body: { code }, reply: { ...codesExample, ...renewedExample } },
  handler: async ({ person, body, headers }: Input<Static<typeof ConfirmBody>>) => {
    const request = { code: body.code, user_agent: userAgent(headers) }
    const { recovery_codes, session } = await confirmEnrolment(deps, person, request)
    return once({ recovery_codes, ...viewRenewed(session) })
  },
})

const verifyRoute = (deps: TotpDeps, { path, open_to }: Area): Route => ({
  ...open_to,
  method: 'POST',
  path: `${path}/totp/verify/`,
  body: CodeBody,
  summary: 'Give a code in this session',
  description:
    'The session goes on under a new `token`, which for 10 minutes may do what answers 403 ' +
    '`totp_required` otherwise. The old token works for 10 seconds more, for calls under way, ' +
    'and has none of it.',
  responses: { 200: VerifiedSchema },
  errors: byCode,
  example: {
    body: { code },
    reply: { verified_until: '2026-11-21T08:10:00.000Z', ...renewedExample },
  },
  handler: async ({ person, body, headers }: Input<Static<typeof CodeBody>>) => {
    const request = { code: body.code, user_agent: userAgent(headers) }
    const session = await stepUp(deps, person, request)
    const verified_until = session.verified_until.toISOString()
    return once({ verified_until, ...viewRenewed(session) })
  },
})

const recoveryCodesRoute = (deps: TotpDeps, { path, open_to }: Area): Route => ({
  ...open_to,
  method: 'POST',
  path: `${path}/totp/recovery-codes/`,
  body: CodeBody,
  summary: 'Make new recovery codes',
  description: 'All earlier ones are void.',
  responses: { 200: RecoveryCodesSchema },
  errors: byCode,
  example: { body: { code }, reply: codesExample },
  handler: async ({ person, body }: Input<Static<typeof CodeBody>>) =>
    once({ recovery_codes: await renewRecoveryCodes(deps, person, body.code) }),
})

const disableRoute = (deps: TotpDeps, { path, open_to }: Area): Route => ({
  ...open_to,
  method: 'POST',
  path: `${path}/totp/disable/`,
  body: DisableBody,
  summary: 'Take the second factor away',
  description: 'Its recovery codes go with it. LIVE then stays closed to what needs a code.',
  responses: { 200: DisabledSchema },
  errors: byCode,
  example: { body: { password: pass_phrase, code }, reply: { totp_enabled: false } },
  handler: async ({ person, body }: Input<Static<typeof DisableBody>>) => {
    await disableSecondFactor(deps, person, body)
    return once({ totp_enabled: false })
  },
})
