// Whether somebody is at this page. Law: what a page asks by itself uses no session, so that one
// that was left open on a desk ends as the contract says.

const acts = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const

/** What is asked so soon after an act was asked for by it, or for whoever is still reading. */
const presence_ms = 60_000

/** Opening the page is an act too. */
let seen_ms = performance.now()

const see = (): void => {
  seen_ms = performance.now()
}

for (const act of acts) addEventListener(act, see, { capture: true, passive: true })
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') see()
})

export const isAnybodyHere = (): boolean => performance.now() - seen_ms < presence_ms
