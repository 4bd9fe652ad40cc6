// Whose a number is, asked of its operator for whoever is about to pay it, and kept sealed for a
// day. Law: an operator that is slow or fails holds up nobody; over all processes it is asked about
// a number once a day, by the pace of its account.

import type { Keyring } from '../platform/crypto/seal.ts'
import { assertNoTransaction, type Db, type Sql } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { readFields } from '../platform/json-fields.ts'
import type { Holder, LooksUpHolder } from './holder.ts'
import {
  claimHolder,
  deleteHolders,
  deleteOldHolders,
  findHolder,
  keepHolder,
} from './holder-store.ts'

export type HolderDeps = Readonly<{
  db: Db
  keyring: Pick<Keyring, 'mac' | 'seal' | 'unseal'>
}>

/** What the text is bound to, by the primary key of its row. */
export const holderBinding = ([id = '']: readonly string[]): string => `holder_lookups:${id}`

const macOf = ({ keyring }: Readonly<{ keyring: Pick<Keyring, 'mac'> }>, msisdn: string): Buffer =>
  keyring.mac('holder-number', msisdn)

/** The number where it is only compared, in the memory of a process. */
export const holderKey = (deps: Pick<HolderDeps, 'keyring'>, msisdn: string): string =>
  macOf(deps, msisdn).toString('base64url')

/** Whoever previews a payout waits no longer than this for a name. */
const patience_ms = 2_000

type At = Readonly<{ gateway: LooksUpHolder; gateway_id: string }>

/**
 * What came of a look: the operator named the holder, or an account without a holder's name, or
 * none that works; it was asked within the day; it said nothing, or not in time.
 */
type HolderOutcome = 'named' | 'unnamed' | 'inactive' | 'kept' | 'silent'

export type HolderLook = Readonly<{
  /** Undefined: `silent`. What the operator says later is kept all the same. */
  holder: Holder | undefined
  outcome: HolderOutcome
}>

const silent: HolderLook = { holder: undefined, outcome: 'silent' }

export const lookUpHolder = async (deps: HolderDeps, at: At, msisdn: string): Promise<HolderLook> =>
  (await within(patience_ms, findOrAsk(deps, at, msisdn))) ?? silent

async function findOrAsk(
  deps: HolderDeps,
  { gateway, gateway_id }: At,
  msisdn: string,
): Promise<HolderLook> {
  const key = { gateway_id, number_mac: macOf(deps, msisdn) }
  const id = await claimHolder(deps.db, key)
  const isKept = id === undefined
  const holder = isKept
    ? await findKept(deps, key)
    : await askAndKeep(deps, { gateway, id }, msisdn)
  if (holder === undefined) return silent
  return { holder, outcome: isKept ? 'kept' : saidBy(holder) }
}

function saidBy({ active, name }: Holder): HolderOutcome {
  if (!active) return 'inactive'
  return name === undefined ? 'unnamed' : 'named'
}

async function askAndKeep(
  { db, keyring }: HolderDeps,
  { gateway, id }: Readonly<{ gateway: LooksUpHolder; id: string }>,
  msisdn: string,
): Promise<Holder | undefined> {
  assertNoTransaction()
  const holder = await gateway.holder(msisdn)
  if (holder === undefined) return undefined
  await keepHolder(db, id, keyring.seal(JSON.stringify(holder), holderBinding([id])))
  return holder
}

async function findKept(
  { db, keyring }: HolderDeps,
  key: Parameters<typeof findHolder>[1],
): Promise<Holder | undefined> {
  const kept = await findHolder(db, key)
  if (kept === undefined) return undefined
  const fields = readFields(keyring.unseal(kept.sealed, holderBinding([kept.id])))
  const { active, name } = fields ?? {}
  assert(typeof active === 'boolean', `holder ${kept.id} is unreadable`)
  return typeof name === 'string' ? { active, name } : { active }
}

/** Undefined once the time is over; what fails later fails for nobody. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    // A preview without a name is whole: an operator or a row that failed is none of its business.
    return await Promise.race([work.catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
  }
}

/** In the transaction that erases a person. */
export const forgetHolders = (
  sql: Sql,
  macs: Pick<Keyring, 'mac'>,
  msisdns: readonly string[],
): Promise<void> =>
  deleteHolders(
    sql,
    msisdns.map((one) => macOf({ keyring: macs }, one)),
  )

/** Removes what was asked a day ago; how many. */
export const dropOldHolders = (sql: Sql): Promise<number> => deleteOldHolders(sql)
