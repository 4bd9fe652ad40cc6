// The statements about accounts with operators: settings, versions of secrets, shared tokens.

import type { Sql, Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import type { PaceShares } from './pace.ts'
import { type SecretState, secretStates } from './states.ts'

/** A gateway with what it is opened by; `sealed` is null where it has no secrets. */
export type FoundGateway = Readonly<{
  id: string
  code: string
  adapter: string
  name: string
  environment: Environment
  is_active: boolean
  /** Of a sandbox account with one of our imitations: which. Absent or null: of any other. */
  dialect?: string | null
  country: string
  settings: Readonly<Record<string, string>>
  /** Since when payments are found where they are now; absent or null: since it was added. */
  moved_at?: Date | null
  /** As it was agreed on with its operator; absent or null: as usual there. */
  asks_per_s?: number | null
  creates_per_s?: number | null
  open_calls?: number | null
  secrets_version: number | null
  sealed: Buffer | null
  /** Those that were current before, until they are retired or their time is over. */
  former_version: number | null
  former_sealed: Buffer | null
  /** PEM of the public keys that its operator shows now, by id. */
  public_keys: Readonly<Record<string, string>>
}>

/** How long former secrets verify callbacks, from when others were promoted. Hours. */
export const former_valid_h = 72

export const listFoundGateways = (sql: Sql): Promise<FoundGateway[]> => sql<FoundGateway[]>`
  select g.id, g.code, g.adapter, g.name, g.environment, g.is_active, g.dialect, g.country,
         g.settings, g.moved_at, g.asks_per_s, g.creates_per_s, g.open_calls,
         s.version as secrets_version, s.sealed,
         f.version as former_version, f.sealed as former_sealed,
         coalesce((
           select jsonb_object_agg(k.key_id, k.pem)
             from gateway_keys k
            where k.gateway_id = g.id
              and k.last_seen = (select max(last_seen) from gateway_keys n
                                  where n.gateway_id = g.id)), '{}') as public_keys
    from gateways g
    left join gateway_secrets s on s.gateway_id = g.id and s.state = 'CURRENT'
    left join gateway_secrets f on f.gateway_id = g.id and f.state = 'PREVIOUS'
     and f.state_at > now() - ${former_valid_h} * interval '1 hour'
   order by g.code`

export async function findFoundGateway(sql: Sql, code: string): Promise<FoundGateway | undefined> {
  const all = await listFoundGateways(sql)
  return all.find((one) => one.code === code)
}

/** One of the other environment is not found. */
export async function findAccount(
  sql: Sql,
  { id, environment }: Pick<FoundGateway, 'id' | 'environment'>,
): Promise<FoundGateway | undefined> {
  const all = await listFoundGateways(sql)
  return all.find((one) => one.id === id && one.environment === environment)
}

/** Of either environment: a code is a part of an address. */
export async function isCodeTaken(sql: Sql, code: string): Promise<boolean> {
  const rows = await sql`select 1 from gateways where code = ${code}`
  return rows.count === 1
}

export type NewAccount = Pick<
  FoundGateway,
  'id' | 'code' | 'adapter' | 'name' | 'environment' | 'country' | 'settings'
>

/** Of a LIVE account until two people raise it: 200 000 XOF, whatever it carries. Hundredths. */
const firstLimit = 20_000_000n

/** Of one payment, until two people raise it: a quarter of that. */
const firstPayment = 5_000_000n

/** Switched off; false when the code is taken. */
export async function insertAccount(tx: Tx, account: NewAccount): Promise<boolean> {
  const made = await tx`
    insert into gateways (id, code, adapter, name, environment, is_active, country, settings,
      exposure_limit_collect, exposure_limit_disburse, payment_limit_collect,
      payment_limit_disburse)
    select ${account.id}, ${account.code}, ${account.adapter}, ${account.name},
           ${account.environment}, false, ${account.country}, ${tx.json(account.settings)}, l.most,
           l.most, l.each, l.each
      from (select case ${account.environment} when 'LIVE' then ${firstLimit} end::bigint as most,
                   case ${account.environment} when 'LIVE' then ${firstPayment} end::bigint as each)
        as l
    on conflict (code) do nothing
    returning id`
  return made.count === 1
}

export type SecretRow = Readonly<{
  gateway_id: string
  version: number
  state: SecretState
  sealed: Buffer | null
  fingerprint: string
  created_at: Date
  state_at: Date
  /** Of former ones: until when they verify callbacks. Null: of any others. */
  valid_until: Date | null
}>

export const listSecrets = (sql: Sql, gateway_id: string): Promise<SecretRow[]> => sql<SecretRow[]>`
  select gateway_id, version, state, sealed, fingerprint, created_at, state_at,
         case state when 'PREVIOUS'
           then state_at + ${former_valid_h} * interval '1 hour' end as valid_until
    from gateway_secrets
   where gateway_id = ${gateway_id}
   order by version`

export type OverSecret = Pick<SecretRow, 'gateway_id' | 'version' | 'fingerprint'> &
  Readonly<{ environment: Environment }>

/** Former secrets that count no longer and are not erased yet. */
export const listOverSecrets = (sql: Sql): Promise<OverSecret[]> => sql<OverSecret[]>`
  select s.gateway_id, s.version, s.fingerprint, g.environment
    from gateway_secrets s
    join gateways g on g.id = s.gateway_id
   where s.state = 'PREVIOUS'
     and s.state_at <= now() - ${former_valid_h} * interval '1 hour'
   order by s.state_at`

/** How long the oldest of them have been over. Seconds; 0 where there are none. */
export async function readOverSecretsAge(sql: Sql): Promise<number> {
  const [row] = await sql<{ age_s: number }[]>`
    select greatest(0, coalesce(extract(epoch from
             now() - min(state_at) - ${former_valid_h} * interval '1 hour'), 0))::float8 as age_s
      from gateway_secrets where state = 'PREVIOUS'`
  return row?.age_s ?? 0
}

/** Of an imitation: open at once, because nothing of it is anybody's but ours. */
export async function insertDialectAccount(
  tx: Tx,
  account: NewAccount & Readonly<{ dialect: string }>,
): Promise<void> {
  await tx`
    insert into gateways (id, code, adapter, name, environment, is_active, country, settings,
      dialect)
    values (${account.id}, ${account.code}, ${account.adapter}, ${account.name},
      ${account.environment}, true, ${account.country}, ${tx.json(account.settings)},
      ${account.dialect})`
}

export async function updateDialectSettings(
  tx: Tx,
  id: string,
  settings: FoundGateway['settings'],
): Promise<void> {
  await tx`
    update gateways set settings = ${tx.json(settings)}, updated_at = now()
     where id = ${id} and dialect is not null`
}

/** Of several who set one up, one does at a time. */
export async function lockDialect(tx: Tx, dialect: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`dialect ${dialect}`}, 0))`
}

/** All changes of an account queue up here. */
export async function lockAccount(tx: Tx, gateway_id: string): Promise<void> {
  await tx`select id from gateways where id = ${gateway_id} for update`
}

export async function insertSecret(
  tx: Tx,
  secret: Pick<SecretRow, 'gateway_id' | 'version' | 'state' | 'fingerprint'> &
    Readonly<{ sealed: Buffer; created_by: string | null }>,
): Promise<void> {
  await tx`
    insert into gateway_secrets (gateway_id, version, state, sealed, fingerprint, created_by)
    values (${secret.gateway_id}, ${secret.version}, ${secret.state}, ${secret.sealed},
      ${secret.fingerprint}, ${secret.created_by})`
}

/** A retired one is gone: its text is taken away with its state. */
export async function updateSecretState(
  tx: Tx,
  { gateway_id, version }: Pick<SecretRow, 'gateway_id' | 'version'>,
  state: SecretState,
): Promise<void> {
  await tx`
    update gateway_secrets
       set state = ${state}, state_at = now(),
           sealed = case when ${state} = 'RETIRED' then null else sealed end
     where gateway_id = ${gateway_id} and version = ${version}
       and state = any(${secretStates.into(state)})`
}

/** Tokens belong to the secrets that they were given for. */
export async function endTokens(tx: Tx, gateway_id: string): Promise<void> {
  await tx`
    update gateway_tokens
       set generation = generation + 1, sealed = null, renew_at = null, expires_at = null
     where gateway_id = ${gateway_id}`
}

type OfProduct = Readonly<{ gateway_id: string; product: string }>

/** Times from now, in milliseconds by the database's clock. */
export type TokenRow = Readonly<{
  generation: bigint
  sealed: Buffer | null
  renew_in_ms: number
  expires_in_ms: number
}>

export async function findToken(
  sql: Sql,
  { gateway_id, product }: OfProduct,
): Promise<TokenRow | undefined> {
  const [row] = await sql<TokenRow[]>`
    select generation, sealed,
           coalesce(extract(epoch from renew_at - now()) * 1000, 0)::float8 as renew_in_ms,
           coalesce(extract(epoch from expires_at - now()) * 1000, 0)::float8 as expires_in_ms
      from gateway_tokens
     where gateway_id = ${gateway_id} and product = ${product}`
  return row
}

/** The fence of whoever may ask for a token now; undefined while another does. */
export async function claimToken(
  sql: Sql,
  { gateway_id, product }: OfProduct,
  lease_s: number,
): Promise<bigint | undefined> {
  const [row] = await sql<{ fence: bigint }[]>`
    insert into gateway_tokens as t (gateway_id, product, lease_until, fence)
    values (${gateway_id}, ${product}, now() + ${lease_s} * interval '1 second', 1)
    on conflict (gateway_id, product) do update
       set lease_until = excluded.lease_until, fence = t.fence + 1
     where t.lease_until <= now()
    returning fence`
  return row?.fence
}

export type KeptToken = OfProduct &
  Readonly<{ fence: bigint; sealed: Buffer; renew_s: number; expires_s: number }>

/** Undefined when another has claimed it since; otherwise its generation. */
export async function saveToken(sql: Sql, token: KeptToken): Promise<bigint | undefined> {
  const [row] = await sql<{ generation: bigint }[]>`
    update gateway_tokens
       set generation = generation + 1, sealed = ${token.sealed}, lease_until = '-infinity',
           renew_at = now() + ${token.renew_s} * interval '1 second',
           expires_at = now() + ${token.expires_s} * interval '1 second'
     where gateway_id = ${token.gateway_id} and product = ${token.product}
       and fence = ${token.fence}
    returning generation`
  return row?.generation
}

/** Nobody has to wait for the lease to end. */
export async function releaseToken(
  sql: Sql,
  { gateway_id, product }: OfProduct,
  fence: bigint,
): Promise<void> {
  await sql`
    update gateway_tokens set lease_until = '-infinity'
     where gateway_id = ${gateway_id} and product = ${product} and fence = ${fence}`
}

// Shares of what operators allow.

/** All who ask for a share of an account queue up here; its keys may be referred to meanwhile. */
export async function lockPaces(tx: Tx, gateway_id: string): Promise<void> {
  await tx`select id from gateways where id = ${gateway_id} for no key update`
}

/**
 * Times from now, in milliseconds by the database's clock. `-infinity` is a day ago: PostgreSQL 15
 * and 16 subtract nothing from it.
 */
export const listPaces = (sql: Sql, gateway_id: string): Promise<PaceShares[]> => sql<PaceShares[]>`
  select process, share, former_share, create_share, former_create_share, open_share,
         former_open_share,
         (extract(epoch from greatest(former_until, clock_timestamp() - interval '1 day')
                             - clock_timestamp()) * 1000)::float8 as former_in_ms,
         (extract(epoch from lease_until - clock_timestamp()) * 1000)::float8 as lease_in_ms
    from gateway_pace
   where gateway_id = ${gateway_id}`

export type NewPace = Omit<PaceShares, 'former_in_ms' | 'lease_in_ms'> &
  Readonly<{
    gateway_id: string
    lease_s: number
    /** For so long what it had of questions and creates counts; null: as it was. */
    former_s: number | null
  }>

/** Under `lockPaces`. */
export async function upsertPace(tx: Tx, pace: NewPace): Promise<void> {
  const { gateway_id, process, former_s, lease_s } = pace
  await tx`
    insert into gateway_pace as p
      (gateway_id, process, share, former_share, create_share, former_create_share, open_share,
       former_open_share, former_until, lease_until)
    values (${gateway_id}, ${process}, ${pace.share}, ${pace.former_share}, ${pace.create_share},
      ${pace.former_create_share}, ${pace.open_share}, ${pace.former_open_share},
      coalesce(clock_timestamp() + ${former_s}::float8 * interval '1 second', '-infinity'),
      clock_timestamp() + ${lease_s} * interval '1 second')
    on conflict (gateway_id, process) do update
       set share = excluded.share, lease_until = excluded.lease_until,
           former_share = excluded.former_share, create_share = excluded.create_share,
           former_create_share = excluded.former_create_share, open_share = excluded.open_share,
           former_open_share = excluded.former_open_share,
           former_until = greatest(p.former_until, excluded.former_until)`
}

/** Of processes that have been gone for ten minutes: nothing of theirs is under way. */
export async function deletePaces(tx: Tx, gateway_id: string): Promise<void> {
  await tx`
    delete from gateway_pace
     where gateway_id = ${gateway_id}
       and lease_until < clock_timestamp() - interval '10 minutes'`
}

// What checks of accounts found.

type Check = Readonly<{ gateway_id: string; fingerprint: string; passed: boolean }>

/** The last one of these secrets; what was found of others a week ago goes with it. */
export async function saveCheck(tx: Tx, { gateway_id, fingerprint, passed }: Check): Promise<void> {
  await tx`
    delete from gateway_checks
     where gateway_id = ${gateway_id} and checked_at < now() - interval '7 days'`
  await tx`
    insert into gateway_checks (gateway_id, fingerprint, passed)
    values (${gateway_id}, ${fingerprint}, ${passed})
    on conflict (gateway_id, fingerprint) do update
       set passed = excluded.passed, checked_at = now()`
}

/**
 * Whether the last check with these secrets, absent: with those that count, passed within a day. An
 * account without any is checked under an empty fingerprint.
 */
export async function hasPassedCheck(
  sql: Sql,
  gateway_id: string,
  fingerprint?: string,
): Promise<boolean> {
  const rows = await sql`
    select 1
      from gateway_checks k
     where k.gateway_id = ${gateway_id} and k.passed
       and k.checked_at > now() - interval '24 hours'
       and k.fingerprint = coalesce(${fingerprint ?? null}, (
             select s.fingerprint from gateway_secrets s
              where s.gateway_id = k.gateway_id and s.state = 'CURRENT'), '')`
  return rows.count === 1
}
