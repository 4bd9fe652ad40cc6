// The service's clock, as its answers show it: a telephone's own may be hours off.

type Clock = { ahead_ms: number }
const clock: Clock = { ahead_ms: 0 }

/** `date`: the header of an answer that has just come. */
export function learnClock(date: string | null): void {
  const theirs = Date.parse(date ?? '')
  if (Number.isFinite(theirs)) clock.ahead_ms = theirs - Date.now()
}

/** Now, as the service has it, to the second; before its first answer the machine's own. */
export const serviceNow = (): number => Date.now() + clock.ahead_ms
