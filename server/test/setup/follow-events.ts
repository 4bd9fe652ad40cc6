// A stream of events as a client follows it: what came, when it came, and when it ended.

import { eventually, type Json } from '../harness.ts'

export type Message = Readonly<{ event: string; id: string; data: Json; at_ms: number }>

export type Following = Readonly<{
  status: number
  headers: Headers
  /** The refusal, where there is no stream. */
  error: Json
  messages: readonly Message[]
  /** Comments and what else is no message. */
  comments: readonly string[]
  /** Resolves when no more can come. */
  ended: Promise<void>
  /** The first message that fits, as soon as it is there. */
  heard(fits: (message: Message) => boolean, within_ms?: number): Promise<Message>
  leave(): void
}>

export async function followEvents(
  url: string,
  headers: Record<string, string>,
  query = '',
): Promise<Following> {
  const leaving = new AbortController()
  const { signal } = leaving
  const reply = await fetch(`${url}/api/v1/events/stream/${query}`, { headers, signal })
  const messages: Message[] = []
  const comments: string[] = []
  const isStream = reply.headers.get('content-type') === 'text/event-stream'
  const error = isStream ? undefined : (JSON.parse(await reply.text()) as Json).error
  const take = async () => {
    let rest = ''
    for await (const piece of reply.body ?? []) {
      const parts = (rest + Buffer.from(piece).toString()).split('\n\n')
      rest = parts.pop() ?? ''
      for (const part of parts) {
        const message = messageIn(part)
        if (message === undefined) comments.push(part)
        else messages.push(message)
      }
    }
  }
  const ended = isStream ? take().catch(() => undefined) : Promise.resolve()
  return {
    ...{ status: reply.status, headers: reply.headers, error, messages, comments, ended },
    heard: (fits, within_ms) =>
      eventually(async () => {
        const found = messages.find(fits)
        if (found === undefined) throw new Error(`not in ${JSON.stringify(messages)}`)
        return found
      }, within_ms),
    leave: () => leaving.abort(),
  }
}

function messageIn(text: string): Message | undefined {
  const fields = new Map(
    text.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]),
  )
  const [event, id, data] = ['event', 'id', 'data'].map((name) => fields.get(name))
  if (event === undefined || id === undefined || data === undefined) return undefined
  return { event, id, data: JSON.parse(data), at_ms: Date.now() }
}
