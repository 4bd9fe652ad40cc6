// Turns the pools of a process into pools of a distributed database: each has, behind it, one small
// pool for each shard group, opened when a merchant of the group first needs it.

import { type Db, inTransaction } from '../db.ts'
import { assert } from '../errors.ts'
import { groupPool } from './group-pool.ts'
import { watchSilence } from './in-time.ts'
import { type Group, writeMap } from './map-store.ts'
import { groupsOf, type Placed, placeGroups, placeTx } from './places.ts'
import { uuidHash } from './uuid-hash.ts'

export type PlaceDeps = Readonly<{
  /** The map as it is now, read from control. */
  readMap: () => PromiseLike<readonly Group[]>
  /** A group could not be read, and others went on without it. */
  onAway: (error: unknown) => void
  /**
   * By which of the pools a transaction of one group looks into the others; absent: by its own.
   * While two wait there for a connection that the other one has, neither goes on.
   */
  looks?: Db
  /** How long a statement waits for a move of its group to end. Default 15 s. */
  wait_ms?: number
}>

/** A pool on control, and how the same is opened on a group. */
export type PlacedPool = Readonly<{ control: Db; open: (group: Group) => Db }>

/** Ends what was opened; nothing is placed where the map is empty. */
export async function placePools(
  deps: PlaceDeps,
  pools: readonly PlacedPool[],
): Promise<() => Promise<void>> {
  const map = await openMap(deps)
  if (map === undefined) return async () => undefined
  const last = new Map<string, readonly unknown[]>()
  const ends = pools.map((pool) => placeOne({ ...deps, last }, pool, map))
  return async () => {
    await Promise.all(ends.map((end) => end()))
  }
}

/** A server that is gone is met by each statement, and where its groups are now read so often. */
const reload_every_ms = 1_000

type GroupMap = Readonly<{
  groupOf: (merchant_id: string) => number
  group: (no: number) => Group
  all: () => readonly Group[]
  reload: () => Promise<void>
  /** The same, at most every second; nobody waits for it. */
  reloadSometimes: () => void
}>

async function openMap({ readMap }: PlaceDeps): Promise<GroupMap | undefined> {
  let groups = await readMap()
  if (groups.length === 0) return undefined
  let reading: Promise<void> | undefined
  let sometimes_from = 0
  const read = async () => {
    try {
      const now = await readMap()
      if (now.length > 0) groups = now
    } finally {
      reading = undefined
    }
  }
  const reload = () => {
    reading ??= read()
    return reading
  }
  const found = (which: (group: Group) => boolean): Group => {
    const one = groups.find(which)
    assert(one !== undefined, 'the map of shard groups has a gap')
    return one
  }
  return {
    groupOf(merchant_id) {
      const hash = uuidHash(merchant_id)
      return found(({ hash_min, hash_max }) => hash_min <= hash && hash <= hash_max).no
    },
    group: (no) => found((one) => one.no === no),
    all: () => groups,
    reload,
    reloadSometimes() {
      if (performance.now() < sometimes_from) return
      sometimes_from = performance.now() + reload_every_ms
      reload().catch(() => undefined)
    },
  }
}

const addressOf = ({ host, port, database, schema }: Group): string =>
  `${host} ${port} ${database} ${schema}`

type Shared = PlaceDeps & Required<Pick<Placed, 'last'>>

function placeOne({ onAway, wait_ms, last, looks }: Shared, pool: PlacedPool, map: GroupMap) {
  const opened = new Map<string, Db>()
  const facades = new Map<number, Db>()
  const openAt = (group: Group, use: 'work' | 'probe'): Db => {
    const name = `${use} ${addressOf(group)}`
    const known = opened.get(name)
    if (known !== undefined) return known
    const made = pool.open(group)
    opened.set(name, made)
    return made
  }
  const poolAt = (group: Group) => openAt(group, 'work')
  const facade = (no: number): Db => {
    const known = facades.get(no)
    if (known !== undefined) return known
    const made = groupPool({
      pool: () => poolAt(map.group(no)),
      onMoved: map.reload,
      onGone: map.reloadSometimes,
      control: () => pool.control,
      onBegun: (tx, beside) =>
        placeTx(tx, {
          beside,
          of: (merchant_id) =>
            assert(map.groupOf(merchant_id) === no, 'a transaction is of one shard group'),
          others: () => othersThan(no),
        }),
      ...(wait_ms === undefined ? {} : { wait_ms }),
    })
    facades.set(no, made)
    watchSilence(made, () => openAt(map.group(no), 'probe'))
    const of = (merchant_id: string) => {
      assert(map.groupOf(merchant_id) === no, 'a pool of another shard group')
      return made
    }
    const others = () => []
    placeGroups(made, { of, all: () => [made], others, control: () => pool.control, onAway })
    return made
  }
  const all = () => map.all().map(({ no }) => facade(no))
  const othersThan = (no: number) => {
    const at = map.all().findIndex((group) => group.no === no)
    return groupsOf(looks ?? pool.control).filter((_, nth) => nth !== at)
  }
  placeGroups(pool.control, {
    of: (merchant_id) => facade(map.groupOf(merchant_id)),
    all,
    others: () => [],
    control: () => pool.control,
    onAway,
    last,
  })
  return () => Promise.all([...opened.values()].map((db) => db.end({ timeout: 5 })))
}

/** Writes the map anew, as Citus has the groups now; how many there are. */
export const renewMap = (db: Db): Promise<number> => inTransaction(db, writeMap)
