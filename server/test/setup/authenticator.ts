// An authenticator app on a telephone, as tests hold it in their hands.

import { generateSync } from 'otplib'
import type { Reply, SignedInCaller, TestApp } from '../harness.ts'

export type Authenticator = Readonly<{
  secret: string
  recovery_codes: readonly string[]
  /** What it shows now, or so many steps of 30 seconds later. */
  code(steps?: number): string
  /** Makes the codes that were used so far good again: a test does not wait for the next. */
  forget(): Promise<void>
}>

const codeOf = (secret: string, steps: number) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * steps })

export function authenticatorOf(
  app: TestApp,
  { person_id }: Pick<SignedInCaller, 'person_id'>,
  { secret, recovery_codes }: Readonly<{ secret: string; recovery_codes: readonly string[] }>,
): Authenticator {
  return {
    secret,
    recovery_codes,
    code: (steps = 0) => codeOf(secret, steps),
    async forget() {
      await app.owner`update people set totp_last_step = 0 where id = ${person_id}`
    },
  }
}

/** Enrols through the routes, as a person would; all their codes are fresh afterwards. */
export async function enrol(
  app: TestApp,
  caller: SignedInCaller,
  area: '/auth' | '/admin/auth' = '/auth',
): Promise<Authenticator> {
  const enrolment = await caller.post(`${area}/totp/enrol/`, { password: caller.password })
  expectOk(enrolment)
  const { secret } = enrolment.data
  const confirmed = await caller.post(`${area}/totp/confirm/`, { code: codeOf(secret, 0) })
  expectOk(confirmed)
  const { recovery_codes, token } = confirmed.data
  caller.goOnWith(token)
  const authenticator = authenticatorOf(app, caller, { secret, recovery_codes })
  await authenticator.forget()
  return authenticator
}

function expectOk({ status, body }: Reply): void {
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
}
