// What presses cost before their answer is drawn, while somebody goes about a journey: by the clock
// of the page's own thread, which runs only while the thread does, so that other work of the
// machine adds nothing; and by the clock on the wall, where it does.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { isWhole } from '../setup/proof-files.ts'
import type { Browsing } from './browser.ts'
import { slownessNow } from './pace.ts'

/** How much slower the telephone is than the machine of the test. */
export const slower = 6
export const bars = { press_ms: 100, task_ms: 200 } as const

/** An event of Chromium's trace; times in microseconds, `tdur` by the thread's own clock. */
type Traced = Readonly<{
  name: string
  pid: number
  tid: number
  ts: number
  dur?: number
  tdur?: number
  args?: Readonly<{ data?: Readonly<{ type?: string }> }>
}>

/**
 * In milliseconds. Keys apart: each letter and each Tab is one, so many that the few which lead
 * somewhere would not be seen among them; those are clicks and changes as well.
 */
export type Work = Readonly<{
  acts: readonly number[]
  keys: readonly number[]
  /** Of both, by the clock on the wall. */
  took: readonly number[]
  longest: number
}>

const none: Work = { acts: [], keys: [], took: [], longest: 0 }

const acting = ['click', 'change', 'submit']

const typeOf = ({ name, args }: Traced): string =>
  name === 'EventDispatch' ? (args?.data?.type ?? '') : ''

const isPress = (event: Traced): boolean => [...acting, 'keydown'].includes(typeOf(event))

/** From each press to the next paint: the work of the thread, and how long that was on the wall. */
function workOf(events: readonly Traced[]): Work {
  const tasks = events.filter(({ name, tdur }) => /RunTask$/.test(name) && tdur !== undefined)
  const paints = events.filter(({ name }) => name === 'Paint' || name === 'Commit')
  const presses = events.filter(isPress).map((press) => {
    const { ts, dur = 0 } = press
    // What nothing is drawn after has been answered when it is done.
    const end = paints.find((paint) => paint.ts > ts)?.ts ?? ts + dur
    const within = tasks.filter((task) => task.ts + (task.dur ?? 0) >= ts && task.ts <= end)
    const work = within.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1_000
    return { isAct: acting.includes(typeOf(press)), work, took: (end - ts) / 1_000 }
  })
  return {
    acts: presses.filter(({ isAct }) => isAct).map(({ work }) => work),
    keys: presses.filter(({ isAct }) => !isAct).map(({ work }) => work),
    took: presses.map(({ took }) => took),
    longest: Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur)) / 1_000,
  }
}

const joined = (one: Work, other: Work): Work => ({
  acts: [...one.acts, ...other.acts],
  keys: [...one.keys, ...other.keys],
  took: [...one.took, ...other.took],
  longest: Math.max(one.longest, other.longest),
})

/** As on the machine that the bars are meant for. */
function onReference({ acts, keys, took, longest }: Work, slowness: number): Work {
  const less = (all: readonly number[]): number[] => all.map((one) => one / slowness)
  return { acts: less(acts), keys: less(keys), took: less(took), longest: longest / slowness }
}

/** Every page's own thread that was pressed on, each by itself. */
function workIn(trace: string): Work {
  const { traceEvents }: { traceEvents: Traced[] } = JSON.parse(trace)
  // A trace is written in blocks, not by time.
  const events = traceEvents.toSorted((one, other) => one.ts - other.ts)
  const threadOf = ({ pid, tid }: Traced): string => `${pid} ${tid}`
  const pressed = new Set(events.filter(isPress).map(threadOf))
  return [...pressed]
    .map((thread) => workOf(events.filter((event) => threadOf(event) === thread)))
    .reduce(joined, none)
}

/** What the pages cost meanwhile, and what came of it. A browser has one trace at a time. */
export async function measured<T>(
  page: Page,
  journey: () => Promise<T>,
): Promise<Readonly<{ work: Work; result: T }>> {
  const browser = page.context().browser()
  if (browser === null) throw new Error('a page of no browser')
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] })
  // One that is not ended would stand in the way of the next, also where the journey fails.
  const traced = { trace: '' }
  const result = await journey().finally(async () => {
    traced.trace = (await browser.stopTracing()).toString()
  })
  return { work: onReference(workIn(traced.trace), slownessNow()), result }
}

export const p95 = (all: readonly number[]): number =>
  all.toSorted((one, other) => one - other)[Math.floor(all.length * 0.95)] ?? 0

/** Of each press the least, over the lists that are as long as most of them. */
function leastOfEach(all: ReadonlyArray<readonly number[]>): readonly number[] {
  const likes = (length: number) => all.filter((one) => one.length === length)
  const alike = all
    .map(({ length }) => likes(length))
    .reduce((one, other) => (other.length > one.length ? other : one))
  const [first = []] = alike
  return first.map((_, nth) => Math.min(...alike.flatMap((one) => one.slice(nth, nth + 1))))
}

/**
 * The same journey made several times: each press by the least that it cost. What others on the
 * machine take of its caches makes a thread's work dearer, in some of them and seldom in all.
 */
export const leastOf = (works: readonly Work[]): Work => ({
  acts: leastOfEach(works.map(({ acts }) => acts)),
  keys: leastOfEach(works.map(({ keys }) => keys)),
  took: works.flatMap(({ took }) => took),
  longest: Math.min(...works.map(({ longest }) => longest)),
})

/** Whether clicks and changes are answered within the bar. */
export const isSoon = ({ acts }: Work): boolean => slower * p95(acts) < bars.press_ms

const said = (all: readonly number[]): string =>
  `${all.length}: p95 ${p95(all).toFixed(1)} ms, worst ${Math.max(0, ...all).toFixed(1)} ms`

/** Of journeys that each keep the bar, all of them together do. */
export function expectSoon(name: string, { acts, keys, longest }: Work): void {
  console.log(
    `${name}: work before the next paint of clicks and changes, ${said(acts)}; of keys, ` +
      `${said(keys)}; the longest task ${longest.toFixed(1)} ms; times ${slower} on the telephone`,
  )
  expect(p95(acts)).toBeGreaterThan(0)
  expect(slower * p95(acts)).toBeLessThan(bars.press_ms)
  expect(slower * p95(keys)).toBeLessThan(bars.press_ms)
  expect(slower * longest).toBeLessThan(bars.task_ms)
}

type Visits = Pick<Browsing, 'visit'>

export type Presses = Readonly<{
  /** The same, whose visits are measured where the run is whole. */
  watch: <Of extends Visits>(of: Of) => Of
  soFar: () => Work
}>

export function watchPresses(): Presses {
  const state = { sum: none, isWatched: false }
  const visitOf = (of: Visits): Visits['visit'] => {
    return (visitor, look) =>
      of.visit(visitor, async (page) => {
        // Whoever comes in during another's visit is measured with it.
        if (!isWhole || state.isWatched) return look(page)
        state.isWatched = true
        const { work, result } = await measured(page, () => look(page)).finally(() => {
          state.isWatched = false
        })
        state.sum = joined(state.sum, work)
        return result
      })
  }
  return { watch: (of) => ({ ...of, visit: visitOf(of) }), soFar: () => state.sum }
}
