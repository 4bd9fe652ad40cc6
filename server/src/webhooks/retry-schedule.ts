// When a delivery is tried again (contract 6.6): nine tries in all, then EXHAUSTED.

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The wait after try 1, after try 2, and so on. */
const waits_ms = [
  30 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  6 * hour,
  12 * hour,
  24 * hour,
  24 * hour,
]

/** Each wait moves by up to this share, so that a crowd of failures does not return at once. */
const jitter = 0.1

/** How long to wait after try number `attempt_made` (1 is the first). `random` is in [0, 1). */
export function nextTry(
  attempt_made: number,
  random: () => number,
): { after_ms: number } | 'exhausted' {
  const wait = waits_ms[attempt_made - 1]
  if (wait === undefined) return 'exhausted'
  return { after_ms: Math.round(wait * (1 + jitter * (2 * random() - 1))) }
}
