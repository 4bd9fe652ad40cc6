// Beside batched calls: the calls of a batch that failed, each owner's separately. Law: an owner
// whose items fail is isolated until they have stopped failing and uses one connection at a time;
// calls that wait behind it for too long are refused; others lose one wait.

import { isDatabaseAway, isLockTimeout } from './db.ts'
import { tooBusy, turnsOf } from './turns.ts'

export type WaitingCall<I, O> = Readonly<{
  item: I
  resolve: (answer: O) => void
  reject: (error: unknown) => void
}>

export type IsolatedBatch<I, O> = Readonly<{
  run: (items: readonly I[]) => Promise<readonly O[]>
  names?: (item: I) => readonly string[]
  owner?: (item: I) => string
  most?: number
  alone_tries?: number
  /** The first of them that may go together, and the rest. */
  take: <W extends WaitingCall<I, O>>(
    waiting: readonly W[],
    how: Readonly<{ names?: (item: I) => readonly string[]; most?: number }>,
  ) => { group: W[]; rest: W[] }
}>

export type Isolation<I, O> = Readonly<{
  /** Does what a failed batch was to do. */
  take: (group: readonly WaitingCall<I, O>[], error: unknown) => void
  /** True when this call's owner is isolated: then it is done here. */
  accepts: (one: WaitingCall<I, O>) => boolean
}>

type QueuedCall<I, O> = WaitingCall<I, O> & {
  readonly since: number
  tries: number
  /** A call's connection died: it may have written, so "nothing was begun" is untrue. */
  unknown: unknown
}

type Owner<I, O> = {
  readonly name: string
  queue: QueuedCall<I, O>[]
  failed_at: number | undefined
  is_served: boolean
}

/** For each batch: how many owners are tried at the same moment. */
const owners_at_once = 2
/** For each owner; further calls are refused at once. */
const queue_max = 200
/** A call that has waited so long behind its neighbours' locked rows is refused. */
const wait_max_ms = 4_000
/** How often a call whose row is locked is tried alone, if nothing else is said. */
const alone_tries_default = 3
/** How long an owner stays isolated after its last failure. */
const isolated_ms = 5_000

const hasFailedLately = ({ failed_at }: { failed_at: number | undefined }): boolean =>
  failed_at !== undefined && performance.now() - failed_at < isolated_ms

export function isolateOwners<I, O>(batch: IsolatedBatch<I, O>): Isolation<I, O> {
  const owners = new Map<string, Owner<I, O>>()
  const turns = turnsOf({ at_once: owners_at_once, of_owner: 1, waiting: 1 })
  let unowned = 0

  const ownerNamed = (name: string): Owner<I, O> =>
    owners.get(name) ?? { name, queue: [], failed_at: undefined, is_served: false }

  const isOver = (owner: Owner<I, O>) => !owner.is_served && !hasFailedLately(owner)

  /** One portion of an owner's in each turn, so that others have theirs between. */
  async function serve(owner: Owner<I, O>): Promise<void> {
    while (owner.queue.length > 0) await turns(owner.name, () => runGroup(batch, owner))
    owner.is_served = false
    if (isOver(owner)) owners.delete(owner.name)
  }

  function add(name: string, one: WaitingCall<I, O>, unknown?: unknown): void {
    const owner = ownerNamed(name)
    owners.set(name, owner)
    if (owner.queue.length >= queue_max) {
      one.reject(unknown ?? tooBusy('rows of this owner are held'))
      return
    }
    owner.queue.push({ ...one, since: performance.now(), tries: 0, unknown })
    if (owner.is_served) return
    owner.is_served = true
    // After everything that came with it, so that they go together.
    queueMicrotask(() => void serve(owner))
  }

  /** It was alone already: from now on it is isolated. */
  function fail(name: string): void {
    const owner = ownerNamed(name)
    owner.failed_at = performance.now()
    owners.set(name, owner)
  }

  function ownerOf(one: WaitingCall<I, O>): string {
    unowned += 1
    return batch.owner?.(one.item) ?? `${unowned}`
  }

  return {
    take(group, error) {
      const [first] = group
      const wasAlone = first !== undefined && group.length === 1
      if (wasAlone && (!isLockTimeout(error) || triesOf(batch) <= 1)) {
        if (isLockTimeout(error)) fail(ownerOf(first))
        first.reject(error)
        return
      }
      for (const owner of owners.values()) if (isOver(owner)) owners.delete(owner.name)
      const unknown = isDatabaseAway(error) ? error : undefined
      for (const one of group) add(ownerOf(one), one, unknown)
    },
    accepts(one) {
      if (owners.size === 0 || batch.owner === undefined) return false
      const name = batch.owner(one.item)
      const owner = owners.get(name)
      if (owner === undefined || isOver(owner)) return false
      add(name, one)
      return true
    },
  }
}

const triesOf = ({ alone_tries }: Readonly<{ alone_tries?: number }>): number =>
  alone_tries ?? alone_tries_default

/** All of an owner's that may go together; one alone while some of the owner's have just failed. */
async function runGroup<I, O>({ run, take, ...batch }: IsolatedBatch<I, O>, owner: Owner<I, O>) {
  const late = performance.now() - wait_max_ms
  for (const one of owner.queue)
    if (one.since < late) one.reject(one.unknown ?? tooBusy('waited too long'))
  const inTime = owner.queue.filter((one) => one.since >= late)
  const { group, rest } = take(inTime, hasFailedLately(owner) ? { ...batch, most: 1 } : batch)
  owner.queue = rest
  if (group.length === 0) return
  try {
    const answers = await run(group.map(({ item }) => item))
    for (const [at, one] of group.entries()) one.resolve(answers[at] as O)
  } catch (error) {
    owner.failed_at = performance.now()
    if (isDatabaseAway(error)) for (const one of group) one.unknown ??= error
    const [alone] = group
    if (group.length > 1) owner.queue.unshift(...group)
    else if (alone !== undefined) putBack({ owner, tries_max: triesOf(batch) }, alone, error)
  }
}

/**
 * A call whose row is locked is tried again after its neighbours; any other error is its answer,
 * unless a connection died under it before: what refuses it now may be what it wrote then.
 */
function putBack<I, O>(
  { owner, tries_max }: Readonly<{ owner: Owner<I, O>; tries_max: number }>,
  one: QueuedCall<I, O>,
  error: unknown,
): void {
  one.tries += 1
  if (isLockTimeout(error) && one.tries < tries_max) owner.queue.push(one)
  else one.reject(one.unknown ?? error)
}
