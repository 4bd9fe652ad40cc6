// What the keys of one letter do on a screen: each finds what it is about there and does nothing
// where there is none. None of them sends a form: they lead to one, open a fold, or choose a row.

import type { Key } from '../words/translate.ts'
import { isVisible, pathBeside, rowLinks } from './rows.ts'

type KeyAct = Readonly<{
  name: Key
  /** What it does here; undefined: nothing, and then help leaves it out. */
  here: (navigate: (path: string) => void) => (() => void) | undefined
}>

const field = 'input, select, textarea, button, a'

function find(selector: string): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>(selector)].find(isVisible)
}

/** Its first field takes the focus, with the fold opened that it lies in. */
function enter(of: HTMLElement): void {
  const first = of.querySelector<HTMLElement>(field)
  const fold = first?.closest('details')
  if (fold) fold.open = true
  first?.focus()
}

/** The row that the focus is in: among the links of all rows, or none. */
function rowNow(rows: readonly HTMLAnchorElement[]): number {
  const row = document.activeElement?.closest('tr, li')
  return row ? rows.findIndex((link) => row.contains(link)) : -1
}

const beside = (step: 1 | -1) => () => {
  const rows = rowLinks()
  if (rows.length === 0) return undefined
  return () => {
    const now = rowNow(rows)
    const next = now < 0 ? 0 : now + step
    rows[next]?.focus()
  }
}

function boxNow(): HTMLElement | undefined {
  const row = document.activeElement?.closest('main tr, main .cards > li')
  return row?.querySelector<HTMLElement>('input[type=checkbox]') ?? undefined
}

/** Of the record before or after; the list stays one step back. */
const record = (step: 1 | -1) => (navigate: (path: string) => void) => {
  const path = pathBeside(step)
  return path === undefined ? undefined : () => navigate(path)
}

const toForm = (selector: string) => () => {
  const found = find(selector)
  return found && (() => enter(found))
}

/** In the order in which help lists them. */
export const keyActs: Readonly<Record<string, KeyAct>> = {
  n: {
    name: 'keys_new',
    here: () => {
      const way = find('main .heading > a.act')
      return way ? () => way.click() : toForm('main [data-key=n]')()
    },
  },
  f: { name: 'keys_filter', here: toForm('main search') },
  e: { name: 'keys_export', here: toForm('main [data-key=e]') },
  j: { name: 'keys_row_below', here: beside(1) },
  k: { name: 'keys_row_above', here: beside(-1) },
  o: {
    name: 'keys_new_tab',
    here: () => {
      const rows = rowLinks()
      if (rows.length === 0) return undefined
      return () => {
        const row = rows[rowNow(rows)]
        // In a tab of its own, which knows nothing of this one.
        if (row) window.open(row.href, '_blank', 'noopener')
      }
    },
  },
  x: {
    name: 'keys_choose',
    here: () => {
      if (find('main tbody input[type=checkbox], main .cards input[type=checkbox]') === undefined) {
        return undefined
      }
      return () => boxNow()?.click()
    },
  },
  ']': { name: 'keys_record_after', here: record(1) },
  '[': { name: 'keys_record_before', here: record(-1) },
  c: {
    name: 'keys_copy',
    here: () => {
      const button = find('main [data-key=c]')
      return (
        button &&
        (() => {
          button.scrollIntoView({ block: 'nearest' })
          button.click()
        })
      )
    },
  },
  i: {
    name: 'keys_calls',
    here: () => {
      const fold = find('main details.calls')
      if (!(fold instanceof HTMLDetailsElement)) return undefined
      return () => {
        fold.open = !fold.open
        fold.querySelector('summary')?.focus()
      }
    },
  },
}
