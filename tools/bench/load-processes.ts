// The two processes that load the app, and what they are told: receiver and payers. What the
// receiver gets is passed on to the payers, who wait for it.

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Ends, endChild } from '../../server/test/setup/ends.ts'
import { cpuSeconds } from '../../server/test/setup/process-tree.ts'
import type { Counts, FromPayers, FromReceiver, Tally, Target, ToPayers } from './talk.ts'

export type Load = Readonly<{
  /** Where endpoints are registered: one that answers, one that never does. */
  endpoint: string
  hanging_endpoint: string
  aim(api: { host: string; port: number }, targets: readonly Target[]): void
  closed(in_flight: number): void
  paced(per_s: number): void
  counts(): Promise<Counts>
  tally(): Promise<Tally>
  /** CPU seconds of both processes since they began. */
  cpu(): number
}>

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

export async function startLoad(ends: Ends): Promise<Load> {
  const receiver = fork(fileOf('./receiver-process.ts'))
  ends.add(() => endChild(receiver, 'SIGTERM'))
  const payers = fork(fileOf('./payer-process.ts'))
  ends.add(() => endChild(payers, 'SIGTERM'))
  const send = (message: ToPayers) => void payers.send(message)
  const ready = await nextMessage(receiver, 'ready')
  receiver.on('message', (message: FromReceiver) => {
    if (message.is === 'heard') send(message)
  })
  const at = (port: number) => `http://127.0.0.1:${port}/hooks/pirogue`
  return {
    endpoint: at(ready.port),
    hanging_endpoint: at(ready.hanging_port),
    aim: ({ host, port }, targets) => send({ is: 'shops', host, port, targets }),
    closed: (in_flight) => send({ is: 'closed', in_flight }),
    paced: (per_s) => send({ is: 'paced', per_s }),
    async counts() {
      const counted = nextMessage(payers, 'counts')
      send({ is: 'count' })
      return (await counted).counts
    },
    async tally() {
      const tallied = nextMessage(receiver, 'tally')
      receiver.send({ is: 'tally' })
      return (await tallied).tally
    },
    cpu: () => cpuSeconds([receiver.pid ?? 0, payers.pid ?? 0]),
  }
}

type LoadMessage = FromPayers | FromReceiver

/** The next message of this kind; a process that ends instead is an error. */
function nextMessage<K extends LoadMessage['is']>(
  child: ChildProcess,
  is: K,
): Promise<Extract<LoadMessage, { is: K }>> {
  return new Promise((resolve, reject) => {
    const receive = (message: LoadMessage) => {
      if (!isKind(message, is)) return
      child.off('message', receive)
      child.off('exit', onExit)
      resolve(message)
    }
    const onExit = (code: number | null) => reject(new Error(`the load ended with ${code}`))
    child.on('message', receive)
    child.once('exit', onExit)
  })
}

const isKind = <K extends LoadMessage['is']>(
  message: LoadMessage,
  is: K,
): message is Extract<LoadMessage, { is: K }> => message.is === is
