// Adds, changes and removes addresses. Each change queues up with the merchant's others and writes
// its line of the audit log with itself.

import { type Act, actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { endInTurn, writeInTurn } from '../../platform/batch-calls.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db, Sql, Tx } from '../../platform/db.ts'
import { assert, invalid, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { emailOwners, type OwnersEmail } from '../email-owners.ts'
import { type EntryStatus, entries_max, type WhitelistEntry, whitelistErrors } from './entry.ts'
import { readNetwork } from './ip-network.ts'
import {
  deleteEntry,
  type EntryFields,
  type EntryKey,
  insertEntry,
  listEntries,
  lockWhitelist,
  requireOwnEntry,
  updateEntry,
} from './store.ts'

export type WhitelistDeps = Readonly<{ db: Db; keyring: Keyring }>

export type EntryRequest = Readonly<{ ip_address: string; label?: string; status?: EntryStatus }>

/** Refuses what is listed (400 on `ip_address`), and more than `entries_max`. */
export async function addEntry(
  { db, keyring }: WhitelistDeps,
  caller: Caller,
  { ip_address: text, label = '', status = 'ACTIVE' }: EntryRequest,
): Promise<WhitelistEntry> {
  const ip_address = networkOf(text)
  const { merchant_id, member_id } = caller
  return writeInTurn(db, caller, async (tx) => {
    await lockWhitelist(tx, merchant_id)
    const listed = await listEntries(tx, merchant_id)
    if (listed.some((one) => one.ip_address === ip_address)) throw listedAlready()
    if (listed.length >= entries_max) throw refuse(whitelistErrors.whitelist_limit_reached)
    const fields = { ip_address, label, status, created_by_member: member_id }
    const entry = await insertEntry(tx, { merchant_id, id: newId(), ...fields })
    if (entry === undefined) throw listedAlready()
    await recordChange(tx, caller, entry, { action: 'ip_whitelist.added', after: auditView(entry) })
    await emailNewEntry(tx, { keyring, caller }, entry)
    return entry
  })
}

/** Omitted fields keep their value; nothing is written when nothing changes. */
export async function changeEntry(
  { db, keyring }: WhitelistDeps,
  caller: Caller,
  { id, ...changes }: Partial<EntryRequest> & Readonly<{ id: string }>,
): Promise<WhitelistEntry> {
  const { merchant_id } = caller
  const ip_address = changes.ip_address === undefined ? undefined : networkOf(changes.ip_address)
  return writeInTurn(db, caller, async (tx) => {
    await lockWhitelist(tx, merchant_id)
    const listed = await listEntries(tx, merchant_id)
    const before = await entryAmong(tx, listed, { merchant_id, id })
    const after = {
      ...auditView(before),
      ...changes,
      ...(ip_address === undefined ? {} : { ip_address }),
    }
    if (isSame(auditView(before), after)) return before
    const isListed = (one: WhitelistEntry) => one.id !== id && one.ip_address === after.ip_address
    if (listed.some(isListed)) throw listedAlready()
    const entry = await updateEntry(tx, before, after)
    assert(entry !== undefined, 'an entry went while its list was locked')
    const change = { before: auditView(before), after: auditView(entry) }
    await recordChange(tx, caller, entry, { action: 'ip_whitelist.changed', ...change })
    if (opensMore(before, entry)) await emailNewEntry(tx, { keyring, caller }, entry)
    return entry
  })
}

export async function removeEntry(
  { db }: WhitelistDeps,
  caller: Caller,
  id: string,
): Promise<void> {
  const { merchant_id } = caller
  await endInTurn(db, caller, async (tx) => {
    await lockWhitelist(tx, merchant_id)
    const before = await entryAmong(tx, await listEntries(tx, merchant_id), { merchant_id, id })
    await deleteEntry(tx, before)
    await recordChange(tx, caller, before, {
      action: 'ip_whitelist.removed',
      before: auditView(before),
    })
  })
}

function networkOf(text: string): string {
  const reading = readNetwork(text)
  if (reading.is === 'refused') throw invalid('ip_address', reading.why)
  return reading.network
}

const listedAlready = () =>
  invalid('ip_address', {
    en: 'Is already on the whitelist.',
    fr: 'Figure déjà sur la liste.',
  })

async function entryAmong(tx: Tx, listed: readonly WhitelistEntry[], key: EntryKey) {
  const entry = listed.find(({ id }) => id === key.id)
  return requireOwnEntry(tx, key, entry)
}

const auditView = ({ ip_address, label, status }: EntryFields): EntryFields => ({
  ip_address,
  label,
  status,
})

const isSame = (a: EntryFields, b: EntryFields): boolean =>
  a.ip_address === b.ip_address && a.label === b.label && a.status === b.status

/** Payouts may now come from where they could not before. */
const opensMore = (before: EntryFields, after: EntryFields): boolean =>
  after.status === 'ACTIVE' &&
  (before.status !== 'ACTIVE' || before.ip_address !== after.ip_address)

type Change = Pick<Act, 'action' | 'before' | 'after'>

const recordChange = (
  tx: Tx,
  caller: Caller,
  { merchant_id, id }: WhitelistEntry,
  change: Change,
): Promise<void> =>
  recordAct(tx, {
    merchant_id,
    environment: null,
    actor: actorOf(caller),
    target_kind: 'ip_whitelist_entry',
    target_id: id,
    ...change,
  })

type EmailDeps = Readonly<{ keyring: Keyring; caller: Caller }>

/** The owners are e-mailed about it once real money can leave by it. */
async function emailNewEntry(tx: Tx, { keyring, caller }: EmailDeps, entry: WhitelistEntry) {
  if (caller.session?.has_had_live !== true || entry.status !== 'ACTIVE') return
  await emailOwners(tx, keyring, entry.merchant_id, newEntryEmail(entry))
}

// An address from which a merchant's server may pay out, added by the platform itself (seeds).

/** Adds an address in the form of `readNetwork`; one that is listed stays as it is. */
export async function whitelistAddress(
  sql: Sql,
  entry: Readonly<{ merchant_id: string; ip_address: string; label: string }>,
): Promise<void> {
  await insertEntry(sql, { ...entry, id: newId(), status: 'ACTIVE', created_by_member: null })
}

// The e-mails to the owners when payouts may come from a new address.

const newEntryEmail = ({ ip_address }: WhitelistEntry): OwnersEmail => ({
  kind: 'IP_WHITELIST',
  subject: { en: 'A new address on the IP whitelist', fr: 'Une nouvelle adresse IP autorisée' },
  news: {
    en: `Payouts by API key may now come from ${ip_address}.`,
    fr: `Les versements par clé API peuvent désormais venir de ${ip_address}.`,
  },
})
