// Calls of one kind that come while such calls are under way wait for them and then go together:
// one statement does what many would (docs/decisions/0011). A call that finds nothing under way
// goes at once, alone: nothing ever waits for company.

import type { Db } from './db.ts'

export type Gathering<I, O> = Readonly<{
  /** Does all of them, all or none; one answer for each, in their order. */
  run: (items: readonly I[]) => Promise<readonly O[]>
  /** Items that share a name never go together: the later one waits for another turn. */
  names?: (item: I) => readonly string[]
  /** How many groups may be under way. Default 1. */
  at_once?: number
  /** The most that go together. Default 64. */
  most?: number
}>

type Waiting<I, O> = Readonly<{
  item: I
  resolve: (answer: O) => void
  reject: (error: unknown) => void
}>

const at_once_default = 1
const most_default = 64

/** A group that fails is done again one by one, so that each fails by its own fault only. */
export function gather<I, O>(gathering: Gathering<I, O>): (item: I) => Promise<O> {
  const { run, at_once = at_once_default } = gathering
  let waiting: Waiting<I, O>[] = []
  let under_way = 0

  async function work(group: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const answers = await run(group.map(({ item }) => item))
      for (const [at, one] of group.entries()) one.resolve(answers[at] as O)
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error)
      else for (const one of group) await work([one])
    }
  }

  function go(): void {
    while (under_way < at_once && waiting.length > 0) {
      const { group, rest } = take(waiting, gathering)
      waiting = rest
      under_way += 1
      void work(group).finally(() => {
        under_way -= 1
        go()
      })
    }
  }

  return (item) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      go()
    })
}

/** The first ones that may go together; the others keep their order. */
function take<I, O>(waiting: Waiting<I, O>[], { names, most = most_default }: Gathering<I, O>) {
  if (names === undefined) return { group: waiting.slice(0, most), rest: waiting.slice(most) }
  const group: Waiting<I, O>[] = []
  const rest: Waiting<I, O>[] = []
  const taken = new Set<string>()
  for (const one of waiting) {
    const own = names(one.item)
    if (group.length < most && !own.some((name) => taken.has(name))) group.push(one)
    else rest.push(one)
    // Also of one that stays: whoever comes after him with the same name must not overtake him.
    for (const name of own) taken.add(name)
  }
  return { group, rest }
}

/** One of these for each pool of connections: what waits for the same pool goes together. */
export function perDb<T>(make: (db: Db) => T): (db: Db) => T {
  const made = new WeakMap<Db, T>()
  return (db) => {
    const known = made.get(db)
    if (known !== undefined) return known
    const one = make(db)
    made.set(db, one)
    return one
  }
}
