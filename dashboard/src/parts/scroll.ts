// Where a reader stood on each screen: going back or forward shows it there again, also where its
// content comes a moment later. A screen that is new begins at its heading.

/** By address; in this page's memory only: loading it anew, the browser does the same itself. */
const left = new Map<string, number>()
/** In a region that is scrolled by itself: one a screen, as a list is. */
const leftIn = new Map<string, number>()

/** `isBack`: come by back or forward, until whoever did moves by themselves. */
type Way = { at: string; wanted: number | undefined; isBack: boolean }
const way: Way = { at: '', wanted: undefined, isBack: false }

const patience_ms = 3_000
const near_px = 2

/** Called once, before the first screen. */
export function watchScroll(): void {
  const move = () => {
    way.at = location.href
    way.wanted = undefined
    way.isBack = false
  }
  move()
  history.scrollRestoration = 'manual'
  addEventListener('pagehide', () => {
    history.scrollRestoration = 'auto'
  })
  // The router announces its own moves by these two.
  addEventListener('pushState', move)
  addEventListener('replaceState', move)
  addEventListener('popstate', () => {
    way.at = location.href
    way.wanted = left.get(way.at) ?? 0
    way.isBack = true
  })
  const keep = () => {
    if (way.wanted === undefined) left.set(way.at, scrollY)
  }
  addEventListener('scroll', keep, { passive: true })
  // Whoever moves by themselves is where they want to be.
  const give = () => {
    way.wanted = undefined
    way.isBack = false
  }
  for (const type of ['wheel', 'touchmove', 'keydown']) addEventListener(type, give)
}

/** Where what is scrolled by itself is left is kept from here on, for whichever address that is. */
export function keepPlaceIn(region: HTMLElement): void {
  const keep = () => leftIn.set(way.at, region.scrollTop)
  region.addEventListener('scroll', keep, { passive: true })
}

/** Where it was left; another page of a list begins with its first row. */
export const placeIn = (): number => (way.isBack ? (leftIn.get(way.at) ?? 0) : 0)

export const isComingBack = (): boolean => way.wanted !== undefined

/** The screen is there: it is moved to where it was left, again while it grows. */
export function comeBack(): void {
  if (way.wanted === undefined) return
  const growing = new ResizeObserver(() => settle())
  const settle = () => {
    if (way.wanted !== undefined) scrollTo(0, way.wanted)
    if (way.wanted !== undefined && scrollY < way.wanted - near_px) return
    way.wanted = undefined
    growing.disconnect()
  }
  growing.observe(document.body)
  setTimeout(() => {
    growing.disconnect()
    way.wanted = undefined
  }, patience_ms)
}
