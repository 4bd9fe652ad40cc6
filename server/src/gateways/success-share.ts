// How well a route does beside how well it usually does, and when that moves it behind the others.
// Pure. Law: a route changes its place once in ten minutes at most, whatever happens.

/** What became of the payments of some time. */
export type Tally = Readonly<{
  good: number
  bad: number
  /** Prompts that nobody answered in time: the payer's doing, unless there are unusually many. */
  expired: number
  /** Sent more than two minutes ago, and nothing is known of them. */
  unknown: number
}>

/** What 28 days were like. */
export type Usual = Pick<Tally, 'good' | 'bad' | 'expired'>

/** How many of now the usual share counts for. */
const priorWorth = 10
/** Fewer payments say nothing. */
const leastSeen = 20
/** Of a route that nobody has used before. */
const unknownShare = 0.9
const expiredMargin = 0.15

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

export function usualShare({ good, bad }: Usual): number {
  return good + bad < leastSeen ? unknownShare : good / (good + bad)
}

export type Share = Readonly<{ share: number; usual: number; seen: number }>

/** The mean of a Beta distribution whose prior is the route's own 28 days. 0 to 1. */
export function shareOf(recent: Tally, usual: Usual): Share {
  const { good, unknown, expired } = recent
  const usually = usualShare(usual)
  const all = good + recent.bad + unknown + expired
  const usually_expired = ratio(usual.expired, usual.good + usual.bad + usual.expired)
  const isUnusual = ratio(expired, all) > usually_expired + expiredMargin
  const bad = recent.bad + unknown + (isUnusual ? expired : 0)
  const seen = good + bad
  if (seen < leastSeen) return { share: usually, usual: usually, seen }
  const share = (good + usually * priorWorth) / (seen + priorWorth)
  return { share, usual: usually, seen }
}

/** Of four in five of a normal distribution, above it, in deviations. */
const deviations = 0.8416

/**
 * What the share is at least, with four chances in five: of two routes that do equally well, the
 * one of which more is known has the higher one. 0 to 1.
 */
export function leastShare({ share, seen }: Share): number {
  const deviation = Math.sqrt((share * (1 - share)) / (seen + priorWorth + 1))
  return Math.max(0, share - deviations * deviation)
}

/** Of a route of which nothing is known. */
export const unknownLeastShare: number = leastShare({
  ...{ share: unknownShare, usual: unknownShare, seen: 0 },
})

export type Place = Readonly<{
  demoted: boolean
  /** How many looks in a row spoke for a change. */
  streak: number
  /** Milliseconds since 1970; null: never. */
  changed_at: number | null
}>

const downBy = 0.15
const upWithin = 0.05
const looksDown = 2
const looksUp = 3
export const changeEveryMs = 600_000

/** One look at the last fifteen minutes. A change comes with the look that completes its row. */
export function judgePlace(place: Place, { share, usual }: Share, now: number): Place {
  const isFor = place.demoted ? share >= usual - upWithin : share <= usual - downBy
  const streak = isFor ? place.streak + 1 : 0
  const needed = place.demoted ? looksUp : looksDown
  const isOld = place.changed_at === null || now - place.changed_at >= changeEveryMs
  if (streak < needed || !isOld) return { ...place, streak }
  return { demoted: !place.demoted, streak: 0, changed_at: now }
}

/** Half of the last minute's payments fail: it is moved back at once, by the same law. */
export function judgeAtOnce(place: Place, { good, bad }: Usual, now: number): Place {
  const isOld = place.changed_at === null || now - place.changed_at >= changeEveryMs
  const isIll = good + bad >= leastSeen && bad * 2 >= good + bad
  if (place.demoted || !isOld || !isIll) return place
  return { demoted: true, streak: 0, changed_at: now }
}
