// Work that every process does for itself every so often, whether it is a worker or not.

export type Watching = Readonly<{
  work: () => Promise<unknown>
  every_ms: number
  /** Called for the first failure of a row of them: the work is tried again each time. */
  onFault: (err: unknown) => void
}>

export type Watch = Readonly<{
  /** Begins nothing more, and waits for what is under way. */
  stop(): Promise<void>
}>

/** The work is done so long after it was done last: a slow one is never done twice at once. */
export function watchEvery({ work, every_ms, onFault }: Watching): Watch {
  let timer: NodeJS.Timeout | undefined
  let is_failing = false
  let has_stopped = false
  let under_way = Promise.resolve()
  const turn = async () => {
    try {
      await work()
      is_failing = false
    } catch (err) {
      if (!is_failing) onFault(err)
      is_failing = true
    }
    if (!has_stopped) rest()
  }
  const rest = () => {
    timer = setTimeout(() => {
      under_way = turn()
    }, every_ms).unref()
  }
  rest()
  return {
    stop() {
      has_stopped = true
      clearTimeout(timer)
      return under_way
    },
  }
}
