// What a start sends to the processes that it has made, and they to it.

import type { Worker } from 'node:cluster'

/** To a process: what it is to serve, its end, the metrics of all (null: they were not read). */
export type ToOne =
  | { is: 'serve'; port: number; operator: { url: string; own: boolean } }
  | { is: 'stop' }
  | { is: 'metrics'; id: number; text: string | null }

/** From a process: it listens for messages; it serves; it was asked for the metrics of all. */
export type FromOne = { is: 'listening' } | { is: 'ready' } | { is: 'metrics'; id: number }

const kinds: readonly string[] = ['serve', 'stop', 'metrics', 'listening', 'ready']

/** Other messages share the channel (prom-client's, which have a `type`). */
const isOurs = (message: unknown): boolean =>
  typeof message === 'object' &&
  message !== null &&
  'is' in message &&
  kinds.includes(String(message.is))

/** To one that has gone, nothing is sent. */
export function sendToOne(one: Worker, message: ToOne): void {
  if (one.isConnected()) one.send(message, ignore)
}

export function onMessageOf(one: Worker, receive: (message: FromOne) => void): void {
  one.on('message', (message: FromOne) => {
    if (isOurs(message)) receive(message)
  })
}

/** To the start that made this process. */
export function sendToStart(message: FromOne): void {
  if (process.connected) process.send?.(message, undefined, undefined, ignore)
}

export function onMessageOfStart(receive: (message: ToOne) => void): void {
  process.on('message', (message: ToOne) => {
    if (isOurs(message)) receive(message)
  })
}

/** The other end may go at any moment: its going is what is acted on. */
const ignore = (): void => {}
