// The assertion of this folder, which imports nothing of ours: a broken law is a bug, never an
// answer. It ends the request, not the process.

/** Throws when a law of money does not hold. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new RangeError(`bug: ${message}`)
}
