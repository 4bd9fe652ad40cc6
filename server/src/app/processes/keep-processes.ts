// A number of processes of the service, kept up: one that ends is replaced, with longer waits after
// each that never came to serve.

import cluster, { type Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AggregatorRegistry } from 'prom-client'
import { onMessageOf, sendToOne, type ToOne } from './messages.ts'

const again_after_ms = { first: 500, most: 30_000 }
/**
 * A process that works ends its work within 15 s of being asked to. What hangs is killed before its
 * start gives up, after 19 s (`main.ts`): it would live on, and keep the port.
 */
const kill_after_ms = 17_500

export type Kept = Readonly<{
  /** Ends all of them; resolves when they have gone. */
  stop(): Promise<void>
}>

/** Resolves when all of them serve; throws, with none left, when one ends before that. */
export async function keepProcesses(
  count: number,
  serve: Extract<ToOne, { is: 'serve' }>,
  log: Logger,
): Promise<Kept> {
  // Each accepts for itself. Handed round by us, a connection on its way to a process that is
  // killed is lost, and its caller waits for ever (Node 20, `handoff` in
  // lib/internal/cluster/round_robin_handle.js); in the kernel's queue it waits for another.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const metrics = new AggregatorRegistry()
  const ending = new AbortController()
  const make = () => makeOne({ serve, metrics, ending: ending.signal, log })
  const keepOne = async () => {
    const first = make()
    if (!(await hasServed(first))) throw new Error('a process of the service did not start.')
    replaceForEver(first, make, ending.signal, log)
  }
  const stop = async () => {
    ending.abort()
    await Promise.all(Object.values(cluster.workers ?? {}).map((one) => one && stopOne(one)))
  }
  const started = Array.from({ length: count }, keepOne)
  await Promise.all(started).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { stop }
}

type Making = Readonly<{
  serve: Extract<ToOne, { is: 'serve' }>
  metrics: Pick<AggregatorRegistry<never>, 'clusterMetrics'>
  ending: AbortSignal
  log: Logger
}>

function makeOne({ serve, metrics, ending, log }: Making): Worker {
  const one = cluster.fork()
  one.on('error', (error) => log.error({ err: error }, 'a process of the service is out of reach'))
  onMessageOf(one, (message) => {
    // A stop that came before it listened was lost.
    if (message.is === 'listening') sendToOne(one, ending.aborted ? { is: 'stop' } : serve)
    if (message.is !== 'metrics') return
    metrics.clusterMetrics().then(
      (text) => sendToOne(one, { is: 'metrics', id: message.id, text }),
      () => sendToOne(one, { is: 'metrics', id: message.id, text: null }),
    )
  })
  return one
}

/** Never ends but by `ending`; its errors are its processes' own, who log them. */
async function replaceForEver(
  first: Worker,
  make: () => Worker,
  ending: AbortSignal,
  log: Logger,
): Promise<void> {
  let [one, wait_ms] = [first, again_after_ms.first]
  while (true) {
    await endOf(one)
    if (ending.aborted) return
    log.error({ wait_ms }, 'a process of the service ended; another takes its place')
    await pause(wait_ms, undefined, { signal: ending }).catch(() => undefined)
    if (ending.aborted) return
    one = make()
    const served = await hasServed(one)
    wait_ms = served ? again_after_ms.first : Math.min(wait_ms * 2, again_after_ms.most)
  }
}

/** False: it ended before. */
const hasServed = (one: Worker): Promise<boolean> =>
  Promise.race([
    new Promise<boolean>((resolve) => {
      onMessageOf(one, ({ is }) => {
        if (is === 'ready') resolve(true)
      })
    }),
    endOf(one).then(() => false),
  ])

const endOf = (one: Worker): Promise<void> =>
  new Promise((resolve) => {
    if (one.isDead()) resolve()
    else one.once('exit', () => resolve())
  })

async function stopOne(one: Worker): Promise<void> {
  sendToOne(one, { is: 'stop' })
  const late = setTimeout(() => one.process.kill('SIGKILL'), kill_after_ms)
  await endOf(one)
  clearTimeout(late)
}
