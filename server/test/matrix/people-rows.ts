// What a person manages themselves: their second factor, their sessions, their profile.

import { randomUUID } from 'node:crypto'
import { hashToken, randomToken } from '../../src/platform/crypto/seal.ts'
import type { MatrixRow, MatrixRows, Scene } from './row.ts'

// Some who knock have a second factor and some have none, so the call that all of them are answered
// alike is one without a body; the right ones have a story of their own.
const totp: MatrixRow = { access: 'person', status: 400 }

export const peopleRows: MatrixRows = {
  'POST /auth/totp/enrol/': totp,
  'POST /auth/totp/enroll/': totp,
  'POST /auth/totp/confirm/': totp,
  'POST /auth/totp/verify/': totp,
  'GET /auth/totp/recovery-codes/': { access: 'person', status: 200 },
  'POST /auth/totp/recovery-codes/': totp,
  'POST /auth/totp/disable/': totp,
  'GET /auth/sessions/': { access: 'person', status: 200 },
  'DELETE /auth/sessions/{id}/': {
    access: 'person',
    status: 404,
    params: async () => ({ id: randomUUID() }),
    record: 'everybody',
  },
  'POST /client-errors/': {
    access: 'person',
    status: 204,
    body: () => ({ kind: 'ERROR', message: 'x is undefined' }),
  },
  'POST /auth/logout/all/': { access: 'person', status: 200 },
  'PATCH /auth/me/': { access: 'person', status: 200, body: () => ({ first_name: 'Awa' }) },
  'POST /auth/email/verify/': {
    access: 'public',
    status: 200,
    body: async (scene) => ({ token: await newToken(scene, 'MEMBER', 'VERIFY_EMAIL') }),
  },
  'POST /auth/totp/keep/': {
    access: 'public',
    status: 200,
    body: async (scene) => ({ token: await keepToken(scene) }),
  },
  'POST /auth/email/resend/': { access: 'person', status: 200 },
  ...passwordsOf('MEMBER'),
  ...passwordsOf('STAFF'),
}

function passwordsOf(kind: 'MEMBER' | 'STAFF'): MatrixRows {
  const path = kind === 'STAFF' ? '/admin/auth' : '/auth'
  const own: MatrixRow =
    kind === 'STAFF'
      ? { access: 'staff', staff: 'self', status: 200 }
      : { access: 'person', status: 200 }
  return {
    [`POST ${path}/password/forgot/`]: {
      access: 'public',
      status: 200,
      body: () => ({ email: 'nobody@matrix.example' }),
    },
    [`POST ${path}/password/reset/`]: {
      access: 'public',
      status: 200,
      body: async (scene) => ({
        token: await newToken(scene, kind, 'RESET_PASSWORD'),
        password: 'another long pass phrase',
      }),
    },
    [`POST ${path}/password/change/`]: {
      ...own,
      body: () => ({
        current_password: 'a long pass phrase',
        password: 'another long pass phrase',
      }),
    },
  }
}

/** What a letter to somebody new would carry. */
async function newToken(
  { app: { owner } }: Scene,
  kind: 'MEMBER' | 'STAFF',
  purpose: string,
): Promise<string> {
  const person_id = randomUUID()
  const token = randomUUID()
  const email = `${person_id}@matrix.example`
  const staff_role = kind === 'STAFF' ? 'SUPPORT' : null
  await owner`insert into people ${owner({ id: person_id, kind, email, staff_role })}`
  await owner`insert into person_tokens ${owner({
    hash: hashToken(token),
    person_id,
    purpose,
    email,
    expires_at: new Date(Date.now() + 60_000),
  })}`
  return token
}

/** The letter's token of a reset that runs. */
async function keepToken({ app }: Scene): Promise<string> {
  const { person_id } = await app.member({ second_factor: 'STALE' })
  const token = randomToken(32)
  await app.owner`
    insert into factor_resets
      (id, person_id, reason, asked_by, confirmed_by, due_at, status, cancel_hash)
    values (${randomUUID()}, ${person_id}, 'lost', ${randomUUID()}, ${randomUUID()},
      now() + interval '1 hour', 'CONFIRMED', ${hashToken(token)})`
  return token
}
