// How many tries of one endpoint run at once. Fast answers widen its queue, failures and slow
// answers narrow it: a failing endpoint is not hammered, a slow one takes no slots from the others.

export const width_max = 16

const fast_ms = 1_000
const slow_ms = 3_000

export const firstWidth = (is_failing: boolean): number => (is_failing ? 1 : width_max)

export function nextWidth(
  width: number,
  { acknowledged, took_ms }: { acknowledged: boolean; took_ms: number },
): number {
  if (!acknowledged) return 1
  if (took_ms > slow_ms) return Math.max(1, Math.floor(width / 2))
  return took_ms < fast_ms ? Math.min(width_max, width * 2) : width
}
