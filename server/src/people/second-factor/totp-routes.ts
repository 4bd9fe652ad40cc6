// `…/totp/…`: a person enrols a second factor, gives its codes and removes it again.

import { type Static, Type } from 'typebox'
import type { Input, Reply, Route } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import type { Area } from '../area.ts'
import type { ProofDeps } from '../change-password.ts'
import { peopleErrors } from '../errors.ts'
import { withSession } from '../sessions/session-reply.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  disableSecondFactor,
  renewRecoveryCodes,
  type SecondFactorEmailDeps,
} from './enrol-second-factor.ts'
import { type CodeDeps, stepUp } from './give-code.ts'
import { listUnusedCodes } from './store.ts'
import {
  CodesLeftSchema,
  codesExample,
  DisabledSchema,
  EnrolledSchema,
  EnrolmentSchema,
  enrolmentExample,
  RecoveryCodesSchema,
  renewedExample,
  VerifiedSchema,
} from './totp-view.ts'

export type TotpDeps = CodeDeps & ProofDeps & SecondFactorEmailDeps

const password = Type.String({ minLength: 1, maxLength: 1000 })
const appCode = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The 6-digit code shown by the authenticator app.',
})
const anyCode = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The 6-digit code shown by the authenticator app, or a recovery code.',
})

const EnrolBody = Type.Object({ password })
const ConfirmBody = Type.Object({ code: appCode })
const CodeBody = Type.Object({ code: anyCode })
const DisableBody = Type.Object({ password, code: anyCode })

const code = '492039'
const pass_phrase = 'a long pass phrase'

/** What is shown once must not be cached on its way. */
const once = (data: unknown): Reply => ({
  status: 200,
  data,
  headers: { 'Cache-Control': 'no-store' },
})

const userAgent = (headers: Input['headers']): string =>
  [headers['user-agent'] ?? ''].flat().join(' ')

/** The same for members and for staff, each in their own area. */
export const totpRoutes = (deps: TotpDeps, area: Area): Route[] => [
  enrolRoute(deps, area),
  confirmRoute(deps, area),
  verifyRoute(deps, area),
  codesLeftRoute(deps, area),
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
  summary: 'Start enrolling a second factor',
  description: 'No code is required until enrolment is confirmed. Starting again replaces it.',
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
  session_cookie: 'set',
  summary: 'Confirm the second factor with its first code',
  description:
    'From now on logging in requires a code. All other sessions of the person end, and this one ' +
    'continues under the new `token`, in which the code counts for 10 minutes.',
  responses: { 200: EnrolledSchema },
  errors: [peopleErrors.totp_already_enrolled, ...byCode],
  example: { body: { code }, reply: { ...codesExample, ...renewedExample } },
  handler: async ({ person, body, headers, browser }: Input<Static<typeof ConfirmBody>>) => {
    const request = { code: body.code, user_agent: userAgent(headers) }
    const { recovery_codes, session } = await confirmEnrolment(deps, person, request)
    return withSession(session, { data: { recovery_codes }, by_cookie: browser?.by_cookie })
  },
})

const verifyRoute = (deps: TotpDeps, { path, open_to }: Area): Route => ({
  ...open_to,
  method: 'POST',
  path: `${path}/totp/verify/`,
  body: CodeBody,
  session_cookie: 'set',
  summary: 'Submit a second-factor code in this session',
  description:
    'The session continues under a new `token`, which for 10 minutes may do what otherwise ' +
    'answers 403 `totp_required`. The old token works for 10 more seconds, for calls under way, ' +
    'without that right. A session cookie is replaced by the answer.',
  responses: { 200: VerifiedSchema },
  errors: byCode,
  example: {
    body: { code },
    reply: { verified_until: '2026-11-21T08:10:00.000Z', ...renewedExample },
  },
  handler: async ({ person, body, headers, browser }: Input<Static<typeof CodeBody>>) => {
    const request = { code: body.code, user_agent: userAgent(headers) }
    const session = await stepUp(deps, person, request)
    const verified_until = session.verified_until.toISOString()
    return withSession(session, { data: { verified_until }, by_cookie: browser?.by_cookie })
  },
})

const codesLeftRoute = ({ db }: TotpDeps, { path, open_to }: Area): Route => ({
  ...open_to,
  method: 'GET',
  path: `${path}/totp/recovery-codes/`,
  summary: 'Count your recovery codes',
  description: 'How many were not used yet; 0 without a second factor.',
  responses: { 200: CodesLeftSchema },
  errors: [],
  example: { reply: { recovery_codes_left: 8 } },
  handler: async ({ person }: Input) => ({
    status: 200,
    data: { recovery_codes_left: (await listUnusedCodes(db, person.person_id)).length },
  }),
})

const recoveryCodesRoute = (deps: TotpDeps, { path, open_to }: Area): Route => ({
  ...open_to,
  method: 'POST',
  path: `${path}/totp/recovery-codes/`,
  body: CodeBody,
  summary: 'Generate new recovery codes',
  description: 'All earlier codes stop working.',
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
  summary: 'Remove the second factor',
  description:
    'Its recovery codes are removed too. What requires a code in LIVE then stays closed.',
  responses: { 200: DisabledSchema },
  errors: byCode,
  example: { body: { password: pass_phrase, code }, reply: { totp_enabled: false } },
  handler: async ({ person, body }: Input<Static<typeof DisableBody>>) => {
    await disableSecondFactor(deps, person, body)
    return once({ totp_enabled: false })
  },
})
