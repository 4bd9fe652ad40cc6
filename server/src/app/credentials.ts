// What a first start hands to a newcomer: the demo merchant and its keys, in a file that only its
// owner can read (contract 7.3). Law: the file is there before the keys are valid, so no crash
// between the two loses the only copy; a missing or broken file, or one of another database, is
// replaced by new keys.

import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { knowsKeys, lockForReplacement } from '../merchants/keys/issue-keys.ts'
import { ensureOwner } from '../merchants/members/change-members.ts'
import { ensurePerson } from '../people/keep-person.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { type DemoMade, demoMerchant, ensureDemoMerchant, renewDemoKeys } from './seed.ts'
import { replaceWhole } from './whole-file.ts'

const text = Type.String({ minLength: 1 })
const login = Type.Object({ email: text, password: text })

const CredentialsFile = Type.Object({
  base_url: text,
  dashboard_url: text,
  merchant: Type.Object({ id: text, name: text }),
  api_keys: Type.Object({ PAYIN: text, PAYOUT: text, BOTH: text }),
  dashboard: login,
  admin: login,
  /** Of the last start that printed one: it works once, for ten minutes. */
  sign_in_url: Type.Optional(text),
})

export type Credentials = Static<typeof CredentialsFile>

export type Handed = Readonly<{
  credentials: Credentials
  /** The keys were made just now. */
  fresh: boolean
}>

const fileIn = (data_dir: string) => path.join(data_dir, 'credentials.json')

/** Of this start, without a slash at the end of either. */
export type Addresses = Readonly<{ public_url: string; dashboard_url: string }>

const addressesAt = ({ public_url, dashboard_url }: Addresses) => ({
  base_url: `${public_url}/api/v1`,
  dashboard_url: `${dashboard_url}/dashboard`,
})

/** The demo's credentials: those of the file while they hold, else new ones, written to it. */
export async function handOverDemo(db: Db, data_dir: string, at: Addresses): Promise<Handed> {
  await mkdir(data_dir, { recursive: true })
  return inTransaction(db, async (tx) => {
    const handed = await handOver(tx, data_dir, at)
    await ensureDemoPeople(tx, handed.credentials, handed.fresh)
    return handed
  })
}

async function handOver(tx: Tx, data_dir: string, at: Addresses): Promise<Handed> {
  const made = await ensureDemoMerchant(tx)
  if (made !== null) return writeMade(data_dir, at, made)
  // Before the file is read, so that a process that waited here finds what the one before it wrote.
  await lockForReplacement(tx, demoMerchant.id)
  const credentials = await readCredentials(data_dir)
  const secrets = Object.values(credentials?.api_keys ?? {})
  // Revoked ones are known too: who revoked a demo key does not want it back at the next start.
  if (credentials !== undefined && (await knowsKeys(tx, demoMerchant.id, secrets))) {
    return { credentials, fresh: false }
  }
  return writeMade(data_dir, at, await renewDemoKeys(tx))
}

async function writeMade(data_dir: string, at: Addresses, made: DemoMade): Promise<Handed> {
  const password = () => randomBytes(12).toString('base64url')
  const credentials: Credentials = {
    ...addressesAt(at),
    ...made,
    dashboard: { email: 'demo@pirogue.example', password: password() },
    admin: { email: 'admin@pirogue.example', password: password() },
  }
  await writeCredentials(data_dir, credentials)
  return { credentials, fresh: true }
}

/** Of this start, and its link, if it has one. */
type Place = Addresses & Readonly<{ sign_in_url: string | undefined }>

/**
 * The same credentials at the address of this start, with its link and no other; the file is
 * rewritten when it has changed.
 */
export async function credentialsAt(
  data_dir: string,
  { sign_in_url, ...at }: Place,
  stored: Credentials,
): Promise<Credentials> {
  const { sign_in_url: _, ...lasting } = stored
  const link = sign_in_url === undefined ? {} : { sign_in_url }
  const credentials: Credentials = { ...lasting, ...addressesAt(at), ...link }
  const isChanged = (['base_url', 'dashboard_url', 'sign_in_url'] as const).some(
    (name) => credentials[name] !== stored[name],
  )
  if (isChanged) await writeCredentials(data_dir, credentials)
  return credentials
}

const writeCredentials = (data_dir: string, credentials: Credentials): Promise<void> =>
  replaceWhole(fileIn(data_dir), `${JSON.stringify(credentials, null, 2)}\n`)

/** Undefined when there is none, or what is there cannot be read as one. */
async function readCredentials(data_dir: string): Promise<Credentials | undefined> {
  const read = await readFile(fileIn(data_dir), 'utf8').catch(() => undefined)
  if (read === undefined) return undefined
  const stored = parse(read)
  return Value.Check(CredentialsFile, stored) ? stored : undefined
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

// The demo merchant's owner and the demo's administrator, with the passwords of credentials.json.

type Login = Readonly<{ email: string; password: string }>

export type DemoPeople = Readonly<{ merchant: { id: string }; dashboard: Login; admin: Login }>

/** `renew`: the passwords were made just now, because the old ones were lost. */
async function ensureDemoPeople(tx: Tx, demo: DemoPeople, renew: boolean): Promise<void> {
  const { dashboard, admin, merchant } = demo
  const usual = { phone: '', locale: 'en', email_verified: true } as const
  const owner = await ensurePerson(
    tx,
    {
      ...usual,
      kind: 'MEMBER',
      email: dashboard.email,
      first_name: 'Demo',
      last_name: 'Owner',
    },
    { password: dashboard.password, renew },
  )
  await ensureOwner(tx, { merchant_id: merchant.id, person_id: owner.id })
  await ensurePerson(
    tx,
    {
      ...usual,
      kind: 'STAFF',
      email: admin.email,
      first_name: 'Demo',
      last_name: 'Administrator',
      staff_role: 'SUPERADMIN',
      is_demo: true,
    },
    { password: admin.password, renew },
  )
}
