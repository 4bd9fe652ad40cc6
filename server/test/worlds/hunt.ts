// Plays many worlds, several at a time, and shrinks the first that breaks a law. A seed and a path
// name a world, which is then played a few times: a race does not go the same way each time.

import fc from 'fast-check'
import { leftOpen } from './end-law.ts'
import { play } from './play.ts'
import { readRecords } from './records.ts'
import { refundWorlds } from './refund-world.ts'
import type { Plant } from './scene.ts'
import { seenOf } from './seen.ts'
import type { Stage } from './stage.ts'
import { formatWorld, type World, worlds } from './world.ts'
import { breaches, breachesOf, type LawName, refundLaws } from './world-laws.ts'

/** What is wrong with a world, and what happened in it. */
export type Judged = Readonly<{ broken: readonly string[]; story: readonly string[] }>

export async function judge(stage: Stage, world: World, plant: Plant = {}): Promise<Judged> {
  const { scene, broken } = await play(stage, world, plant)
  const atRest = [...broken, ...breaches(seenOf(scene, await readRecords(scene)))]
  const wrong = [...atRest, ...(await leftOpen(scene))]
  return { broken: wrong, story: wrong.length === 0 ? [] : scene.turns.story() }
}

/** Worlds of refunds: what staff did in the end must be in the books as well. */
export async function judgeRefunds(stage: Stage, world: World, plant: Plant = {}): Promise<Judged> {
  const { scene, broken } = await play(stage, world, plant)
  const atRest = [...broken, ...breaches(seenOf(scene, await readRecords(scene)))]
  const left = atRest.length > 0 ? [] : await leftOpen(scene)
  const inTheEnd =
    atRest.length > 0 ? [] : breachesOf(refundLaws, seenOf(scene, await readRecords(scene)))
  const wrong = [...atRest, ...left, ...inTheEnd.map((what) => `in the end, ${what}`)]
  return { broken: wrong, story: wrong.length === 0 ? [] : scene.turns.story() }
}

/** Until it breaks: what was let go at once does not go the same way each time. */
async function judgeOften(judgeIt: () => Promise<Judged>, most: number): Promise<Judged> {
  for (let played = 1; ; played += 1) {
    const judged = await judgeIt()
    if (judged.broken.length > 0 || played >= most) return judged
  }
}

export type WorldKind = Readonly<{
  worlds: fc.Arbitrary<World>
  judge: (stage: Stage, world: World, plant?: Plant) => Promise<Judged>
}>

const ofEverything: WorldKind = { worlds, judge }
export const ofRefunds: WorldKind = { worlds: refundWorlds, judge: judgeRefunds }

export type Hunt = Readonly<{
  count: number
  seed: number
  /** fast-check's path to one world under the seed. */
  path?: string
  plant?: Plant
  /** Which worlds, and how one is judged; of everything, when absent. */
  of?: WorldKind
  /** Only a world that breaks this law counts; any when absent. */
  breaks?: LawName
  /** Leads the worlds to where a rare race is likely. */
  toward?: (world: World) => World
  /** How many worlds are played at a time. */
  lanes?: number
  /** How many smaller worlds are tried once one is broken. */
  shrinks?: number
  /** True when nothing more is to be played. */
  halted?: () => boolean
  /** Called once for each world played. */
  tick?: () => void
}>

export type Found = Readonly<{ seed: number; path: string; world: World } & Judged>

const shrinksDefault = 400
/** How often a world that is named by its path is played, if it does not break before. */
const tries = 20
const lanesDefault = 6

/** The smallest broken world of the first lane that found one; undefined when all laws held. */
export async function hunt(stage: Stage, wanted: Hunt): Promise<Found | undefined> {
  const { count, seed, path, lanes = path === undefined ? lanesDefault : 1 } = wanted
  const state = { found: false }
  const each = Math.ceil(count / lanes)
  const all = await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      huntLane(stage, wanted, { seed: seed + lane, runs: each, state }),
    ),
  )
  return all.find((one) => one !== undefined)
}

type Lane = { seed: number; runs: number; state: { found: boolean } }

async function huntLane(stage: Stage, wanted: Hunt, lane: Lane): Promise<Found | undefined> {
  const {
    plant = {},
    of = ofEverything,
    breaks = '',
    toward = (world: World) => world,
    path,
    halted = () => false,
    tick,
    shrinks: shrinksMax = shrinksDefault,
  } = wanted
  const last: { judged: Judged | undefined } = { judged: undefined }
  let shrinks = 0
  let mine = false
  let played = 0
  const property = fc.asyncProperty(of.worlds.map(toward), async (world) => {
    // Another lane has found one: this one has nothing more to do.
    if ((lane.state.found && !mine) || halted()) return
    // Of a path, fast-check goes on to what it would have tried next: nobody has asked for that.
    if (path !== undefined && played > 0 && !mine) return
    played += 1
    if (mine && ++shrinks > shrinksMax) return
    tick?.()
    const judgeIt = () => of.judge(stage, world, plant)
    const judged = await judgeOften(judgeIt, path !== undefined && !mine ? tries : 1)
    if (!judged.broken.some((one) => one.startsWith(breaks))) return
    if (!mine && lane.state.found) return
    lane.state.found = true
    mine = true
    last.judged = judged
    throw new Error(judged.broken.join('\n'))
  })
  const details = await fc.check(property, {
    seed: lane.seed,
    numRuns: lane.runs,
    ...(path === undefined ? {} : { path }),
  })
  const [world] = details.counterexample ?? []
  if (world === undefined || last.judged === undefined) return undefined
  return { seed: lane.seed, path: details.counterexamplePath ?? '', world, ...last.judged }
}

const playAgain = ({ seed, path }: Found): string =>
  `npm run worlds -- --seed ${seed} --path ${path}`

/** A found world for a person: what broke, what happened, and how to see it again. */
export function formatFound(found: Found, again = playAgain): string {
  const { world, broken, story } = found
  return [
    ...broken,
    '',
    formatWorld(world),
    '',
    ...story.map((step) => `  ${step}`),
    '',
    `again: ${again(found)}`,
  ].join('\n')
}
