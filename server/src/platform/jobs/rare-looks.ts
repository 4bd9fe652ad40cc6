// A look for work over all merchants costs the more the more of them there are. So it is made no
// more often than so that it takes a twentieth of one connection's time: among few merchants at
// each run of its job, among a hundred thousand every few seconds. What is new by then is announced
// by wake-ups with a subject; the look finds what they have missed.

const times_longer = 20
/** What is found later than this is late for whoever waits for it. */
const rest_max_ms = 15_000
/** Not worth a rest. */
const quick_ms = 5

export type RareLooks = Readonly<{
  /** What `find` finds; nothing, and no look, as long as the last one was too recent. */
  look<Found>(find: () => Promise<Found[]>): Promise<Found[]>
}>

export function rareLooks(clock: () => number = () => performance.now()): RareLooks {
  let next = Number.NEGATIVE_INFINITY
  return {
    async look(find) {
      const began = clock()
      if (began < next) return []
      const found = await find()
      const took = clock() - began
      next = clock() + (took <= quick_ms ? 0 : Math.min(took * times_longer, rest_max_ms))
      return found
    },
  }
}
