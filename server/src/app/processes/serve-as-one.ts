// One of several processes of the service: it serves what its start sends, until it is asked to
// end, or its start is gone.

import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { startService } from '../start.ts'
import { onMessageOfStart, sendToStart } from './messages.ts'

/** Resolves when it serves; `end` ends the process, and is called once or more. */
export async function serveAsOne(
  config: Config,
  log: Logger,
  end: (stop: () => Promise<void>) => void,
): Promise<void> {
  let id = 0
  const asked = new Map<number, (text: string | null) => void>()
  const askAll = () =>
    new Promise<string>((resolve, reject) => {
      id += 1
      const failed = new Error('the metrics of all processes could not be read')
      asked.set(id, (text) => (text === null ? reject(failed) : resolve(text)))
      sendToStart({ is: 'metrics', id })
    })
  let starting: Promise<{ stop(): Promise<void> }> | undefined
  const stop = async () => (await starting)?.stop()
  process.on('disconnect', () => end(stop))
  process.on('SIGTERM', () => end(stop))
  await new Promise<void>((resolve, reject) => {
    onMessageOfStart((message) => {
      if (message.is === 'stop') return end(stop)
      if (message.is === 'metrics') {
        asked.get(message.id)?.(message.text)
        asked.delete(message.id)
        return
      }
      const { port, operator } = message
      const given = { operator, metrics: askAll }
      starting = startService({ ...config, port }, log, given)
      starting.then(() => resolve(), reject)
    })
    // What is sent before anybody listens is lost: the channel is read from the beginning.
    sendToStart({ is: 'listening' })
  })
  sendToStart({ is: 'ready' })
}
