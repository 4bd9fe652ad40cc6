// How slow the machine is just now: what a fixed piece of work costs of the processor, beside what
// it costs on the machine that the bars are meant for. A core that others use too, below the system
// that we see, does each instruction slower: a thread's own clock counts that as the page's work.

/** In milliseconds, by the process's own clock, on two quiet cores of 2.5 GHz. */
const reference_ms = 0.6

const rows = Array.from({ length: 600 }, (_, at) => ({
  id: `${(at * 7_919) % 10_007}`,
  amount: `${at * 37}`,
  tags: [`a${at % 7}`, `b${at % 11}`],
}))

/** What a page does too: objects are written, read, made, sorted by text. */
function work(): number {
  const read: typeof rows = JSON.parse(JSON.stringify(rows))
  const sorted = read.toSorted((one, other) => one.id.localeCompare(other.id))
  return sorted.map(({ tags, amount }) => `${tags.join()} ${amount}`).join('\n').length
}

function cost(): number {
  const before = process.cpuUsage()
  for (let turn = 0; turn < 4; turn += 1) work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 4_000
}

/** How many times slower than meant, never less than once. It takes a tenth of a second. */
export function slownessNow(): number {
  // Warm first: of a core that has slept the first work is slower than any on a page that is used.
  const costs = Array.from({ length: 40 }, cost).slice(20)
  const [median = reference_ms] = costs.toSorted((one, other) => one - other).slice(10)
  return Math.max(1, median / reference_ms)
}
