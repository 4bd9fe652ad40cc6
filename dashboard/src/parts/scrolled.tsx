// The region that a table stands in. Where the table has the room that it wants, its heads stay at
// the edge of the window while rows go by; where it has not, it goes both ways in a region of its
// own, with its heads and with what names each row.

import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { useSearch } from 'wouter'
import { keepPlaceIn, placeIn } from './scroll.ts'

type ScrolledProps = Readonly<{
  /** What is read of the region, where it has to be scrolled. */
  name: string
  isClose?: boolean
  /** The table. */
  children: ReactNode
}>

export function Scrolled({ name, isClose = false, children }: ScrolledProps) {
  const region = useRef<HTMLElement>(null)
  const isOver = useIsOver(region)
  usePlaceIn(region)
  return (
    <section
      ref={region}
      className={`scroll ${isOver ? 'over' : 'fits'} ${isClose ? 'close' : ''}`}
      aria-label={isOver ? name : undefined}
      tabIndex={isOver ? 0 : undefined}
    >
      {children}
    </section>
  )
}

/** Whether its table is wider than it; asked before anything of it is painted, so nothing moves. */
function useIsOver(region: Readonly<{ current: HTMLElement | null }>): boolean {
  const [isOver, setIsOver] = useState(false)
  useLayoutEffect(() => {
    const { current } = region
    const table = current?.querySelector('table')
    if (!current || !table) return
    const look = () => setIsOver(table.offsetWidth > current.clientWidth)
    const watch = new ResizeObserver(look)
    watch.observe(current)
    watch.observe(table)
    look()
    keepPlaceIn(current)
    return () => watch.disconnect()
  }, [region])
  return isOver
}

/** Once for each page of its list, when what announces a move has: some of it draws first. */
function usePlaceIn(region: Readonly<{ current: HTMLElement | null }>): void {
  const search = useSearch()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another place
  useLayoutEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (region.current) region.current.scrollTop = placeIn()
    })
    return () => cancelAnimationFrame(frame)
  }, [region, search])
}
