// What somebody probably meant: how far two words are from each other, and the known address that
// a mistyped one is nearest to. Pure, and cheap enough for whoever sends thousands of wrong ones.

/** How many characters must change, insertions and losses included. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** An address cut at its slashes; a part that begins with `:` stands for any. */
export type KnownPath = Readonly<{ url: string; parts: readonly string[] }>

export const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

const parts_max = 8
const part_max = 40

/** Undefined when nothing is near: more than a third of a part would have to change. */
export function nearestPath(path: string, known: readonly KnownPath[]): string | undefined {
  const parts = partsOf(path)
  if (parts.length > parts_max || parts.some((part) => part.length > part_max)) return undefined
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const { url, parts: wanted } of known) {
    const far = distanceOf(parts, wanted)
    if (far < least) [nearest, least] = [url, far]
  }
  return nearest
}

/** Infinite where a part is another word, or there are more or fewer parts. */
function distanceOf(parts: readonly string[], wanted: readonly string[]): number {
  if (parts.length !== wanted.length) return Number.POSITIVE_INFINITY
  let sum = 0
  for (const [at, part] of parts.entries()) {
    const other = wanted[at] ?? ''
    if (other.startsWith(':') || part === other) continue
    const most = Math.max(1, Math.floor(other.length / 3))
    if (Math.abs(part.length - other.length) > most) return Number.POSITIVE_INFINITY
    const far = distance(part.toLowerCase(), other)
    if (far > most) return Number.POSITIVE_INFINITY
    sum += far
  }
  return sum
}
