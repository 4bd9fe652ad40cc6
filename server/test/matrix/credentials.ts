// Whoever may knock: one of each credential there is, made anew for each call of a person, because
// a call may end its session or change its password.

import { randomBytes } from 'node:crypto'
import { revokeKey } from '../../src/merchants/keys/end-keys.ts'
import { createKey } from '../../src/merchants/keys/issue-keys.ts'
import { type Role, roles } from '../../src/merchants/roles.ts'
import { hashPassword } from '../../src/people/password.ts'
import { newSessionToken } from '../../src/people/sessions/session-token.ts'
import { type StaffRole, staffRoles } from '../../src/people/staff-roles.ts'
import type { Environment, Scope, SecondFactor } from '../../src/platform/http/route.ts'
import { newId } from '../../src/platform/ids.ts'
import type { TestApp } from '../harness.ts'

export type Credential = Readonly<{
  name: string
  headers: () => Promise<Record<string, string>>
}> &
  (
    | { is: 'refused'; code: string }
    | { is: 'key'; scope: Scope; environment: Environment; suspended: boolean }
    | {
        is: 'member'
        role: Role
        environment: Environment
        second_factor: SecondFactor
        suspended: boolean
        live_enabled: boolean
        /** Belongs to another merchant than the one they name. */
        stranger: boolean
      }
    | {
        is: 'staff'
        role: StaffRole
        environment: Environment
        second_factor: SecondFactor
        demo: boolean
      }
  )

type Person = Readonly<{
  kind: 'MEMBER' | 'STAFF'
  merchant_id?: string
  role?: Role
  staff_role?: StaffRole
  demo?: boolean
  second_factor: SecondFactor
}>

export type Merchants = Readonly<{
  /** The records' own, who may work in LIVE. */
  live: string
  /** Not approved. */
  young: string
  suspended: string
  other: string
}>

export async function openCredentials(app: TestApp, merchants: Merchants): Promise<Credential[]> {
  const password_hash = await hashPassword('a long pass phrase')
  const mint = (person: Person) => newSession(app, password_hash, person)
  return [
    ...(await refusedOnes(app, merchants, mint)),
    ...(await keys(app, merchants)),
    ...members(merchants, mint),
    ...staff(mint),
  ]
}

type Mint = (person: Person) => Promise<string>

/** A person of their own and a session for them. */
async function newSession(app: TestApp, password_hash: string, person: Person): Promise<string> {
  const { owner } = app
  const id = newId()
  const { token, hash } = newSessionToken()
  const enrolled = person.second_factor !== 'NONE'
  const { merchant_id = null, role = null } = person
  const totp_at = person.second_factor === 'FRESH' ? new Date() : null
  // One statement: thousands of them are made.
  await owner`
    with person as (insert into people ${owner({
      id,
      kind: person.kind,
      email: `${id}@matrix.example`,
      password_hash,
      staff_role: person.staff_role ?? null,
      is_demo: person.demo ?? false,
      email_verified_at: new Date(),
      totp_enrolled_at: enrolled ? new Date() : null,
      sealed_totp: enrolled ? Buffer.alloc(1) : null,
    })}), membership as (
      insert into memberships (merchant_id, person_id, role)
      select ${merchant_id}::uuid, ${id}, ${role} where ${merchant_id}::uuid is not null)
    insert into sessions (hash, id, person_id, ip, ends_at, totp_at)
    values (${hash}, ${newId()}, ${id}, '127.0.0.1', now() + interval '1 hour', ${totp_at})`
  return token
}

const bearer = (token: string, more: Record<string, string> = {}) => ({
  authorization: `Bearer ${token}`,
  ...more,
})

async function refusedOnes(app: TestApp, { live }: Merchants, mint: Mint): Promise<Credential[]> {
  const { owner } = app
  const key = (scope: Scope) =>
    createKey(owner, { merchant_id: live, environment: 'SANDBOX', scope, name: 'matrix' })
  const revoked = await key('BOTH')
  await revokeKey(owner, revoked.id)
  const expired = await key('BOTH')
  await owner`update api_keys set expires_at = now() - interval '1 s' where id = ${expired.id}`
  const refused = (name: string, code: string, make: () => Promise<Record<string, string>>) =>
    ({ is: 'refused', name, code, headers: make }) as const
  const over = async (change: 'ended' | 'idle' | 'old' | 'disabled') => {
    const member = { kind: 'MEMBER', merchant_id: live, role: 'OWNER' } as const
    const token = await mint({ ...member, second_factor: 'FRESH' })
    await endIt(app, token, change)
    return bearer(token, { 'x-merchant': live })
  }
  const unknown = (prefix: string) => prefix + randomBytes(32).toString('base64url')
  return [
    refused('no credential', 'not_authenticated', async () => ({})),
    refused('a malformed one', 'invalid_api_key', async () => bearer('nonsense')),
    refused('a key nobody has', 'invalid_api_key', async () => bearer(unknown('sk_test_'))),
    refused('a session nobody has', 'session_expired', async () => bearer(unknown('sess_'))),
    refused('a revoked key', 'revoked_api_key', async () => bearer(revoked.secret)),
    refused('an expired key', 'expired_api_key', async () => bearer(expired.secret)),
    refused('an ended session', 'session_expired', () => over('ended')),
    refused('a session idle for too long', 'session_expired', () => over('idle')),
    refused('a session of a week ago', 'session_expired', () => over('old')),
    refused('a session of a person switched off', 'session_expired', () => over('disabled')),
  ]
}

async function endIt({ owner }: TestApp, token: string, change: string): Promise<void> {
  const { hashToken } = await import('../../src/platform/crypto/seal.ts')
  const hash = hashToken(token)
  if (change === 'disabled') {
    await owner`
      update people set disabled_at = now()
       where id = (select person_id from sessions where hash = ${hash})`
    return
  }
  await owner`
    update sessions
       set ended_at = ${change === 'ended' ? owner`now()` : owner`ended_at`},
           last_seen_at = ${change === 'idle' ? owner`now() - interval '13 hours'` : owner`now()`},
           ends_at = ${change === 'old' ? owner`now() - interval '1 second'` : owner`ends_at`}
     where hash = ${hash}`
}

async function keys(app: TestApp, { live, suspended }: Merchants): Promise<Credential[]> {
  const make = async (
    name: string,
    key: { merchant_id: string; scope: Scope; environment: Environment },
  ): Promise<Credential> => {
    const { secret } = await createKey(app.owner, { ...key, name: 'matrix' })
    const { scope, environment, merchant_id } = key
    const headers = async () => bearer(secret)
    return {
      is: 'key',
      name,
      headers,
      scope,
      environment,
      suspended: merchant_id === suspended,
    }
  }
  const sandbox = 'SANDBOX' as const
  return Promise.all([
    make('a test key for payins', { merchant_id: live, scope: 'PAYIN', environment: sandbox }),
    make('a test key for payouts', { merchant_id: live, scope: 'PAYOUT', environment: sandbox }),
    make('a test key for both', { merchant_id: live, scope: 'BOTH', environment: sandbox }),
    make('a live key', { merchant_id: live, scope: 'BOTH', environment: 'LIVE' }),
    make('a key of a suspended merchant', {
      merchant_id: suspended,
      scope: 'BOTH',
      environment: sandbox,
    }),
  ])
}

function members(merchants: Merchants, mint: Mint): Credential[] {
  const { live, young, suspended, other } = merchants
  type Kind = Omit<Extract<Credential, { is: 'member' }>, 'is' | 'headers'>
  const make = (kind: Kind, named: string, belongs = named): Credential => ({
    is: 'member',
    ...kind,
    headers: async () => {
      const { role, second_factor } = kind
      const token = await mint({ kind: 'MEMBER', merchant_id: belongs, role, second_factor })
      return bearer(token, { 'x-merchant': named, 'x-environment': kind.environment })
    },
  })
  const usual = {
    role: 'OWNER',
    environment: 'SANDBOX',
    second_factor: 'FRESH',
    suspended: false,
    live_enabled: true,
    stranger: false,
  } as const
  return [
    ...roles.map((role) => make({ ...usual, role, name: `${role} by session` }, live)),
    make({ ...usual, second_factor: 'NONE', name: 'an owner without a second factor' }, live),
    make({ ...usual, second_factor: 'STALE', name: 'an owner whose code is old' }, live),
    make({ ...usual, environment: 'LIVE', name: 'an owner in LIVE' }, live),
    make(
      {
        ...usual,
        environment: 'LIVE',
        second_factor: 'NONE',
        name: 'an owner in LIVE without one',
      },
      live,
    ),
    make(
      { ...usual, second_factor: 'NONE', live_enabled: false, name: 'an owner not yet approved' },
      young,
    ),
    make({ ...usual, environment: 'LIVE', live_enabled: false, name: 'the same in LIVE' }, young),
    make({ ...usual, suspended: true, name: 'an owner of a suspended merchant' }, suspended),
    make({ ...usual, stranger: true, name: 'an owner who names another merchant' }, live, other),
  ]
}

function staff(mint: Mint): Credential[] {
  type Kind = Omit<Extract<Credential, { is: 'staff' }>, 'is' | 'headers'>
  const make = (kind: Kind): Credential => ({
    is: 'staff',
    ...kind,
    headers: async () => {
      const { role: staff_role, second_factor, demo } = kind
      const token = await mint({ kind: 'STAFF', staff_role, second_factor, demo })
      return bearer(token, { 'x-environment': kind.environment })
    },
  })
  const usual = {
    role: 'SUPERADMIN',
    environment: 'SANDBOX',
    second_factor: 'FRESH',
    demo: false,
  } as const
  return [
    ...staffRoles.map((role) => make({ ...usual, role, name: `${role} of staff` })),
    make({ ...usual, second_factor: 'NONE', name: 'staff without a second factor' }),
    make({ ...usual, second_factor: 'STALE', name: 'staff whose code is old' }),
    make({ ...usual, second_factor: 'NONE', demo: true, name: 'the demo administrator' }),
    make({
      ...usual,
      environment: 'LIVE',
      second_factor: 'NONE',
      demo: true,
      name: 'the demo administrator in LIVE',
    }),
  ]
}
