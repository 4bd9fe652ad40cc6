// The rows of what a screen lists, by the link of each; and the ones among which a reader opened a
// record, so that the next and the one before can be opened from there.

/** In a table each row's head has the link, on a telephone each card is one. */
const links = 'main tbody th > a, main .cards > li > a:first-child'

export const isVisible = (of: Element): boolean => of.getClientRects().length > 0

/** From the first to the last. */
export const rowLinks = (): HTMLAnchorElement[] =>
  [...document.querySelectorAll<HTMLAnchorElement>(links)].filter(isVisible)

/** By address; in this page's memory only. */
const left: { paths: readonly string[] } = { paths: [] }

/** Called once, before the first screen: the list is gone when its record is there. */
export function watchRows(): void {
  const look = ({ target }: Event) => {
    const way = target instanceof Element ? target.closest('a') : null
    const rows = way === null ? [] : rowLinks()
    if (rows.some((row) => row === way)) left.paths = rows.map(({ pathname }) => pathname)
  }
  document.addEventListener('click', look, true)
}

/** The record below or above this one in the list that it was opened from, by its whole address. */
export function pathBeside(step: 1 | -1): string | undefined {
  const at = left.paths.indexOf(location.pathname)
  return at < 0 ? undefined : left.paths[at + step]
}
