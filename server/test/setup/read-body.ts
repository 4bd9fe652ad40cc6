// The body of an answer, whatever it is: a stream of events has no end of its own, so its first
// piece is read and the rest is left.

/** `text/event-stream`, with or without parameters. */
export const isEndless = (headers: Headers): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? false

export async function readBody(reply: Response): Promise<string> {
  if (!isEndless(reply.headers) || reply.body === null) return reply.text()
  const reader = reply.body.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}
