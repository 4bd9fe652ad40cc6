// What only a cluster of Citus can show. CITUS_URL names a database of its coordinator in which two
// nodes are registered, and then every other test file may run there too, each on databases of its
// own (docs/guides/growing.md). CITUS_NODE_STOP and CITUS_NODE_START are commands that stop the
// second node at once (`pg_ctl stop -m immediate`) and start it again, CITUS_STOP and CITUS_START
// do so with the coordinator.

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { distribute, whyNotRight } from '../src/app/distribute/distribute.ts'
import { makeGroups } from '../src/app/distribute/store.ts'
import { simulatorSecrets } from '../src/app/wire.ts'
import { compareGatewayBooks, verifyLedger } from '../src/ledger/verify.ts'
import { openKeyring } from '../src/platform/crypto/seal.ts'
import { type Db, inTransaction, openDb } from '../src/platform/db.ts'
import { homeOf } from '../src/platform/places/places.ts'
import { uuidHash } from '../src/platform/places/uuid-hash.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from './harness.ts'
import { createTestDatabase, type OwnerSql, type TestDatabase } from './setup/database.ts'
import {
  type KeyedPayment,
  keyedPayments,
  payAgain,
  payWhileKilled,
} from './setup/keyed-payments.ts'
import { freePort } from './setup/loopback.ts'
import { databaseEnv, type ServiceProcess, startProcess } from './setup/own-process.ts'
import { type Receiver, startReceiver } from './setup/webhook-receiver.ts'

const { CITUS_URL, CITUS_NODE_STOP, CITUS_NODE_START, CITUS_STOP, CITUS_START } = process.env
const run = promisify(execFile)

const isCluster = CITUS_URL !== undefined
const isKillable = isCluster && CITUS_NODE_STOP !== undefined && CITUS_NODE_START !== undefined

const variables = 'CITUS_URL, CITUS_NODE_STOP, CITUS_NODE_START, CITUS_STOP, CITUS_START'
const isStoppable = isCluster && CITUS_STOP !== undefined && CITUS_START !== undefined

/** Says plainly where nothing was tried. */
function onCluster(title: string, work: () => Promise<void>, possible = isCluster): void {
  it(title, async () => {
    if (possible) await work()
    else console.warn(`SKIPPED, no cluster: ${title} (${variables})`)
  }, 240_000)
}

type Place = Readonly<{ shard: bigint; host: string; port: number }>

/** The first shard of a merchant's group, and where it is; the others move with it. */
async function placeOf(owner: OwnerSql, merchant_id: string): Promise<Place> {
  const [row] = await owner<Place[]>`
    select s.shardid as shard, n.nodename as host, n.nodeport as port
      from pg_dist_shard s
      join pg_dist_placement p using (shardid)
      join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
     where s.logicalrelid = 'transactions'::regclass
       and ${uuidHash(merchant_id)}::int between s.shardminvalue::int and s.shardmaxvalue::int`
  if (row === undefined) throw new Error('no place')
  return row
}

async function moveAway(owner: OwnerSql, merchant_id: string): Promise<void> {
  const { shard, host, port } = await placeOf(owner, merchant_id)
  const [to] = await owner<{ host: string; port: number }[]>`
    select nodename as host, nodeport as port from pg_dist_node
     where shouldhaveshards and (nodename, nodeport) <> (${host}, ${port}) limit 1`
  await owner`
    select citus_move_shard_placement(${shard}, ${host}, ${port}, ${to?.host ?? ''},
                                      ${to?.port ?? 0}, 'block_writes')`
}

describe('on a cluster', () => {
  let app: TestApp
  let shops: readonly [Shop, Shop]
  let cli: Db

  beforeAll(async () => {
    if (!isCluster) return
    const database = await createTestDatabase()
    await database.owner.unsafe(
      `alter database "${database.name}" set citus.enable_stat_counters = on`,
    )
    app = await startApp({ database })
    shops = await onBothNodes()
    const name = { application_name: 'pirogue-cli', connections_max: 2, durable: true }
    cli = openDb({ ...database.options, ...name })
  }, 240_000)
  afterAll(async () => {
    await cli?.end()
    await app?.stop()
  })

  async function onBothNodes(): Promise<readonly [Shop, Shop]> {
    const found = new Map<number, Shop>()
    while (found.size < 2) {
      const shop = await app.shop()
      found.set((await placeOf(app.owner, shop.merchant_id)).port, shop)
    }
    const [first, second] = [...found].sort(([a], [b]) => a - b).map(([, shop]) => shop)
    if (first === undefined || second === undefined) throw new Error('two nodes')
    return [first, second]
  }

  const countPlanned = async (): Promise<number> => {
    const [row] = await app.owner<{ planned: number }[]>`
      select (query_execution_single_shard + query_execution_multi_shard)::int as planned
        from citus_stat_counters where name = current_database()`
    return row?.planned ?? -1
  }

  const rightBooks = async () =>
    expect((await verifyLedger(app.owner)).filter(({ ok }) => !ok)).toEqual([])

  onCluster('no statement of a payment, nor of a job, goes through Citus’ planner', async () => {
    // But for the end of months: every ten minutes, and once at the start.
    await eventually(async () => {
      const ended = await app.owner`
        select 1 from retention_runs where kind = 'callbacks' and finished_at is not null`
      expect(ended).toHaveLength(1)
    })
    const before = await countPlanned()
    for (let round = 0; round < 5; round += 1) {
      const replies = await Promise.all(shops.map((shop) => shop.pay({ customer: newPayer() })))
      await Promise.all(replies.map(({ data }, at) => shops[at]?.becomes(data.id, 'SUCCESS')))
    }
    expect(before).toBeGreaterThanOrEqual(0)
    expect((await countPlanned()) - before).toBe(0)
    await rightBooks()
  })

  onCluster('a group that moves under load loses nothing', async () => {
    const [shop] = shops
    const from = await placeOf(app.owner, shop.merchant_id)
    let is_over = false
    const paid: string[] = []
    const payAll = async () => {
      for (let more = 3; more > 0; more -= is_over ? 1 : 0) {
        const reply = await shop.pay({ customer: newPayer() })
        expect(reply.status, JSON.stringify(reply.body)).toBe(201)
        paid.push(reply.data.id)
      }
    }
    const paying = Promise.all([payAll(), payAll(), payAll()])
    await moveAway(app.owner, shop.merchant_id)
    await distribute(cli, 4)
    is_over = true
    await paying
    expect(await placeOf(app.owner, shop.merchant_id)).not.toEqual(from)
    expect(await whyNotRight(cli)).toEqual([])
    for (const id of paid) await shop.becomes(id, 'SUCCESS')
    await rightBooks()
  })

  /** A row that is written while the group moves; whether it is there afterwards. */
  async function writtenInMove({ owner }: TestDatabase, guarded: boolean): Promise<boolean> {
    const { merchant_id } = shops[1]
    const last_number = guarded ? 1 : 2
    let moving: Promise<void> = Promise.resolve()
    await inTransaction(homeOf(owner as Db, merchant_id), async (tx) => {
      await tx`
        insert into invoice_numbers (merchant_id, environment, last_number)
        values (${merchant_id}, 'SANDBOX', ${last_number})
            on conflict (merchant_id, environment) do update set last_number = ${last_number}`
      moving = moveAway(owner, merchant_id)
      await Promise.race([moving, someoneWaits(owner)])
    })
    await moving
    await distribute(cli, 4)
    const rows = await homeOf(owner, merchant_id)`
      select 1 from invoice_numbers
       where merchant_id = ${merchant_id} and last_number = ${last_number}`
    return rows.length > 0
  }

  /** The move waits for the guard of a transaction, on its node. */
  async function someoneWaits(owner: OwnerSql): Promise<void> {
    for (;;) {
      const rows = await owner`
        select 1 from run_command_on_workers($$
          select count(*) from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'$$)
         where result <> '0'`
      if (rows.length > 0) return
      await sleep(50)
    }
  }

  onCluster('a row written during a move is there after it', async () => {
    expect(await writtenInMove(app.database, true)).toBe(true)
  })

  onCluster(
    'a node that is killed stops its own merchants only, and loses nothing',
    async () => {
      const [one, other] = await onBothNodes()
      const begun = await other.pay({ customer: newPayer() })
      expect(begun.status).toBe(201)
      await run('sh', ['-c', CITUS_NODE_STOP ?? ''])
      try {
        const beside = await one.pay({ customer: newPayer() })
        expect(beside.status, JSON.stringify(beside.body)).toBe(201)
        await one.becomes(beside.data.id, 'SUCCESS')
        expect((await other.pay({ customer: newPayer() })).status).toBe(503)
      } finally {
        await run('sh', ['-c', CITUS_NODE_START ?? ''])
      }
      await other.becomes(begun.data.id, 'SUCCESS')
      const after = await other.pay({ customer: newPayer() })
      expect(after.status, JSON.stringify(after.body)).toBe(201)
      await other.becomes(after.data.id, 'SUCCESS')
      await rightBooks()
    },
    isKillable,
  )

  onCluster(
    'a node that is killed keeps nobody from what is noted of operators’ accounts and networks',
    async () => {
      await run('sh', ['-c', CITUS_NODE_STOP ?? ''])
      try {
        const { db } = app.service
        const [account] = await db<{ id: string }[]>`
          update gateways set is_active = is_active, states_read_at = now(), keys_wanted = true
           where code = 'simulator_a' returning id`
        expect(account).toBeDefined()
        const networks = await db`
          update networks set name = name, updated_at = now() where code = 'mtn_bj'`
        expect(networks.count).toBe(1)
      } finally {
        await run('sh', ['-c', CITUS_NODE_START ?? ''])
      }
    },
    isKillable,
  )

  /** A process of its own beside the app, with the same secret, operator and databases. */
  async function startSecond(data_dir: string): Promise<ServiceProcess> {
    return startProcess({
      data_dir,
      port: await freePort(),
      env: {
        ...databaseEnv(app.database.options),
        SECRET_KEY: app.config.secret_key ?? '',
        SIMULATOR_URL: app.simulator.url,
        WEBHOOK_ALLOW_PRIVATE: 'true',
      },
    })
  }

  async function openHeardShops(): Promise<readonly [readonly Shop[], Receiver]> {
    const both = await onBothNodes()
    const receiver = await startReceiver()
    for (const shop of both) {
      const made = await shop.post('/merchant-webhooks/', { url: receiver.url })
      expect(made.status, JSON.stringify(made.body)).toBe(201)
    }
    return [both, receiver]
  }

  /** Each is one transaction, paid, booked and reported once, here and at the operator. */
  async function eachPaidOnce(payments: readonly KeyedPayment[], { received }: Receiver) {
    const ids = await payAgain(payments, app.url)
    expect(new Set(ids).size).toBe(payments.length)
    for (const [nth, id] of ids.entries()) await payments[nth]?.shop.becomes(id, 'SUCCESS', 90_000)
    await eventually(async () => {
      const paid = received.filter(({ body }) => body.event === 'transaction.success')
      expect(new Set(paid.map(({ body }) => body.data.id))).toEqual(new Set(ids))
      // A delivery may come twice, one payment has one.
      expect(new Set(paid.map(({ body }) => body.id)).size).toBe(ids.length)
    }, 90_000)
    for (const shop of new Set(payments.map(({ shop }) => shop))) {
      const own = payments.filter((one) => one.shop === shop).length
      const available_amount = `${5000 * own}.00`
      expect(await shop.balance()).toEqual({ available_amount, pending_amount: '0.00' })
    }
    await rightBooks()
    const { token } = simulatorSecrets(openKeyring(app.config.secret_key ?? ''))
    const headers = { authorization: `Bearer ${token}` }
    const reply = await fetch(`${app.simulator.url}/books/totals`, { headers })
    const { a = {}, b = {} }: Json = await reply.json()
    const compared = await compareGatewayBooks(app.owner, { simulator_a: a, simulator_b: b })
    expect(compared).toMatchObject({ ok: true, examples: [] })
  }

  onCluster('two processes are one, and kill -9 of one loses and doubles nothing', async () => {
    const [both, receiver] = await openHeardShops()
    const data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-cluster-'))
    const second = await startSecond(data_dir)
    try {
      const payments = keyedPayments(both, 'two', 40)
      const urls = [app.url, second.url]
      const kill = () => second.killHard()
      const statuses = await payWhileKilled(payments, urls, { after: 20, kill })
      expect(new Set(statuses)).toEqual(new Set([201, 0]))
      await eachPaidOnce(payments, receiver)
    } finally {
      await second.killHard()
      await receiver.close()
      await rm(data_dir, { recursive: true, force: true })
    }
  })

  onCluster(
    'a coordinator that is killed stops everybody until it is back, and loses nothing',
    async () => {
      const [both, receiver] = await openHeardShops()
      try {
        const payments = keyedPayments(both, 'coordinator', 40)
        const kill = async () => void (await run('sh', ['-c', CITUS_STOP ?? '']))
        try {
          const statuses = await payWhileKilled(payments, [app.url], { after: 20, kill })
          expect(new Set(statuses)).toEqual(new Set([201, 503]))
        } finally {
          await run('sh', ['-c', CITUS_START ?? ''])
        }
        await eachPaidOnce(payments, receiver)
      } finally {
        await receiver.close()
      }
    },
    isStoppable,
  )

  // Last: what the service writes meanwhile is not guarded either.
  onCluster('a row written during a move is lost without the guard', async () => {
    await app.owner`
      select run_command_on_all_nodes($do$
        do $$ declare g record; begin
          set local citus.enable_ddl_propagation = off;
          for g in select nspname from pg_namespace where nspname ~ '^sg_[0-9]+$' loop
            execute format('create or replace function %I.shard_guard() returns void
                            language sql as ''select''', g.nspname);
          end loop;
        end $$ $do$)`
    try {
      expect(await writtenInMove(app.database, false)).toBe(false)
    } finally {
      await makeGroups(cli)
    }
  })
})
