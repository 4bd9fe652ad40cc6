// By the command line, too, a LIVE account with an operator takes two of the staff: one proposes it
// and is proven by a code of their second factor, the other confirms it. What one person asks for
// alone is refused, and is on record.

import { randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../../src/app/cli/command-line.ts'
import { findFoundGateway } from '../../src/gateways/account-store.ts'
import { withNextSecrets } from '../../src/gateways/accounts.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { type Json, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { type Authenticator, enrol } from '../setup/authenticator.ts'
import { databaseEnv } from '../setup/own-process.ts'

let app: TestApp
let one: SignedInCaller
let phone: Authenticator
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
  one = await bareStaff()
  phone = await enrol(app, one, '/admin/auth')
})
afterAll(() => app?.stop())

/** Without a second factor. */
async function bareStaff(): Promise<SignedInCaller> {
  const caller = await app.staff({ role: 'OPERATIONS' })
  await app.owner`
    update people set totp_enrolled_at = null, sealed_totp = null where id = ${caller.person_id}`
  return caller
}

const key = () => randomBytes(16).toString('hex')
const secrets = {
  ...{ collection_subscription_key: key(), disbursement_subscription_key: key() },
  ...{ collection_api_user: randomUUID(), disbursement_api_user: randomUUID() },
  ...{ collection_api_key: key(), disbursement_api_key: key() },
}

type Ran = Readonly<{ code: number; out: string; err: string }>

async function cli(args: readonly string[], typed: Readonly<Record<string, string>>): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []]
  const own = { SECRET_KEY: app.config.secret_key ?? '', DATA_DIR: app.config.data_dir }
  const env = { ...databaseEnv(app.database.options), ...own }
  // The driver reads where the socket is from the process's own environment.
  const restore = { ...process.env }
  Object.assign(process.env, env)
  const lines = Object.entries(typed).map(([name, value]) => `${name}=${value}\n`)
  try {
    const code = await runCli(args, {
      ...{ env, input: Readable.from([lines.join('')]) },
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
    })
    return { code, out: out.join('\n'), err: err.join('\n') }
  } finally {
    for (const name of Object.keys(env)) delete process.env[name]
    Object.assign(process.env, restore)
  }
}

const live = ['--env', 'LIVE', '--set', 'target_environment=mtnbenin']
const add = (code: string, more: readonly string[], typed: Readonly<Record<string, string>> = {}) =>
  cli(['gateway', 'add', 'mtn', '--code', code, '--country', 'bj', ...live, ...more], {
    ...{ ...secrets, ...typed },
  })
const by = (email = one.email) => ['--by', email]
const found = (code: string) => findFoundGateway(app.service.db, code)
const proposals = (code: string) => app.owner<Json[]>`
  select id, proposed_by, status, sealed from staff_proposals where subject = ${code}`

describe('a LIVE account', () => {
  it('that one of the staff proposes is not there until another confirms it', async () => {
    await phone.forget()
    const ran = await add('mtn_shell', by(one.email.toUpperCase()), { second_factor: phone.code() })
    expect([ran.code, ran.err]).toEqual([0, ''])
    const [waits] = await proposals('mtn_shell')
    expect(waits).toMatchObject({ proposed_by: one.person_id, status: 'PENDING' })
    expect(ran.out).toContain(`POST /api/v1/admin/proposals/${waits?.id}/confirm/`)
    expect(ran.out).toMatch(/^ {2}settings\.target_environment: mtnbenin$/m)
    expect(ran.out).toMatch(/^ {2}fingerprint: [0-9a-f]{12}$/m)
    for (const secret of Object.values(secrets)) expect(ran.out).not.toContain(secret)
    expect(await found('mtn_shell')).toBeUndefined()

    const path = `/admin/proposals/${waits?.id}/confirm/`
    const own = await one.post(path)
    expect([own.status, own.error.code]).toEqual([409, 'same_person'])
    const other = await app.staff({ role: 'OPERATIONS' })
    expect((await other.post(path)).status).toBe(200)
    const account = await found('mtn_shell')
    expect(account).toMatchObject({ environment: 'LIVE', is_active: false, secrets_version: null })
    const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
    expect((account && (await withNextSecrets(deps, account)))?.secrets).toEqual(secrets)
    const acts = await app.owner<Json[]>`
      select action, actor_kind, actor_id from audit_logs
       where target_id in (${waits?.id}, ${account?.id ?? ''}) order by id`
    const staff = { actor_kind: 'STAFF' }
    expect(acts).toEqual([
      { action: 'proposal.made', ...staff, actor_id: one.person_id },
      { action: 'proposal.confirmed', ...staff, actor_id: other.person_id },
      { action: 'gateway.added', ...staff, actor_id: other.person_id },
    ])
  })

  it('is answered to programs as the API answers, and in French', async () => {
    await phone.forget()
    const json = await cli(
      [
        '--json',
        'gateway',
        'add',
        'mtn',
        '--code',
        'mtn_json',
        '--country',
        'BJ',
        ...live,
        ...by(),
      ],
      { ...secrets, second_factor: phone.code() },
    )
    const shown = JSON.parse(json.out)
    const read = await one.get(`/admin/proposals/${shown.id}/`)
    expect(read.data).toEqual(shown)
    await phone.forget()
    const french = await cli(
      [
        ...['--language', 'fr', 'gateway', 'add', 'mtn', '--code', 'mtn_fr'],
        ...['--country', 'BJ', ...live, ...by()],
      ],
      { ...secrets, second_factor: phone.code() },
    )
    expect(french.out).toMatch(/^mtn_fr est proposé\. Rien n’est ajouté avant/)
    expect(french.out).toMatch(/^À faire sous 72 heures\u00a0: POST \/api\/v1\/admin/m)
    const again = await add('mtn_fr', by(), { second_factor: phone.code(1) })
    expect([again.code, again.err]).toEqual([1, expect.stringMatching(/already been proposed/)])
    // What was refused has taken no code.
    expect((await add('mtn_kept', by(), { second_factor: phone.code(1) })).code).toBe(0)
  })

  it('is refused to one person, on record', async () => {
    const ran = await add('mtn_alone', [])
    expect([ran.code, ran.out]).toEqual([1, ''])
    expect(ran.err).toMatch(/two of the staff.*--by/)
    const [act] = await app.owner<Json[]>`
      select environment, actor_kind, target_id, after from audit_logs
       where action = 'gateway.refused' order by id desc limit 1`
    expect(act).toEqual({
      ...{ environment: 'LIVE', actor_kind: 'SYSTEM', target_id: 'mtn_alone' },
      after: { refused: 'add' },
    })
    expect([await found('mtn_alone'), await proposals('mtn_alone')]).toEqual([undefined, []])
  })

  it('is proposed by nobody who is only named', async () => {
    await phone.forget()
    const code = phone.code()
    const clerk = await app.staff({ role: 'FINANCE' })
    const demo = await app.staff({ demo: true })
    const gone = await bareStaff()
    const theirs = await enrol(app, gone, '/admin/auth')
    await app.owner`update people set disabled_at = now() where id = ${gone.person_id}`
    const bare = await bareStaff()
    const tries: readonly (readonly [string, string, RegExp])[] = [
      [one.email, '', /^second_factor: This code/],
      [one.email, '000000', /^second_factor: This code/],
      [bare.email, code, /^second_factor: This code/],
      [clerk.email, code, /^by: Name one of the staff/],
      [demo.email, code, /^by: Name one of the staff/],
      [gone.email, theirs.code(), /^by: Name one of the staff/],
      ['nobody@pirogue.example', code, /^by: Name one of the staff/],
    ]
    for (const [email, second_factor, message] of tries) {
      const ran = await add('mtn_named', by(email), { second_factor })
      expect([ran.code, ran.out], email).toEqual([1, ''])
      expect(ran.err, email).toMatch(message)
    }
    expect(await proposals('mtn_named')).toEqual([])
    expect((await add('mtn_named', by(), { second_factor: code })).code).toBe(0)
    // Taken once, as everywhere.
    expect((await add('mtn_twice', by(), { second_factor: code })).err).toMatch(/^second_factor/)
  })

  it('is guessed at no more often than by the API', async () => {
    const errors: string[] = []
    for (let n = 0; n < 12; n += 1) {
      errors.push((await add('mtn_guess', by(), { second_factor: '000000' })).err)
    }
    expect(errors.at(-1)).toMatch(/too many/i)
  })
})
