// Shapes: of a status, which must be read without its colour too, and of the places in the menu.

import type { ReactNode } from 'react'

export type Shape = 'done' | 'waits' | 'unknown' | 'failed' | 'off' | 'yours' | 'held' | OtherShape
type OtherShape = 'returned' | 'step'
export type Sign = 'home' | 'in' | 'out' | 'link' | 'menu' | OtherSign
type OtherSign =
  | ManageSign
  | 'person'
  | 'purse'
  | 'bank'
  | 'swap'
  | 'basket'
  | 'people'
  | 'book'
  | 'tag'
  | 'antenna'
type ManageSign = 'code' | 'eye' | 'gear' | 'search' | 'pause' | 'go_on' | Way
/** Up, and in a list before or behind what stands there. */
type Way = 'up' | 'earlier' | 'later'

const shapes: Readonly<Record<Shape, ReactNode>> = {
  done: <path d="M2 8.5 6 12.5 14 4" />,
  waits: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.5V8l2.5 1.5" />
    </>
  ),
  unknown: <path d="M8 1.5 14.5 8 8 14.5 1.5 8z" />,
  failed: <path d="m3.5 3.5 9 9m0-9-9 9" />,
  returned: <path d="M6 9.5 2.5 6 6 2.5M2.5 6H10a3.5 3.5 0 0 1 0 7.5H6" />,
  off: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="m4 12 8-8" />
    </>
  ),
  yours: <path d="M4 14.5v-13h8.5L10 5l2.5 3.5H4" />,
  step: <circle cx="8" cy="8" r="3" />,
  held: <path d="M4 1.5h8M4 14.5h8M5 1.5c0 4 6 9 6 13M11 1.5c0 4-6 9-6 13" />,
}

const signs: Readonly<Record<Sign, ReactNode>> = {
  home: <path d="M3 11 12 4l9 7M6 9.5V20h12V9.5" />,
  in: <path d="M12 4v12m-5-5 5 5 5-5M5 20h14" />,
  out: <path d="M12 16V4M7 9l5-5 5 5M5 20h14" />,
  link: (
    <>
      <path d="M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7" />
      <path d="M14 10a4 4 0 0 0-6-.4l-3 3A4 4 0 0 0 10.7 18l1.3-1" />
    </>
  ),
  person: <path d="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-8 9a8 8 0 0 1 16 0" />,
  purse: (
    <path d="M4 7h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2h11M16 14h.5" />
  ),
  bank: <path d="M3 9 12 4l9 5M4 20h16M6 10v7m4-7v7m4-7v7m4-7v7" />,
  swap: <path d="M4 8h14m-4-4 4 4-4 4M20 16H6m4-4-4 4 4 4" />,
  basket: <path d="M4 9h16l-2 11H6zM8 9l4-6 4 6" />,
  people: (
    <>
      <path d="M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-7 9a7 7 0 0 1 14 0" />
      <path d="M16 4a4 4 0 0 1 0 7m2 4a7 7 0 0 1 4 5" />
    </>
  ),
  book: <path d="M5 4h13v16H5zM9 8h5m-5 4h5" />,
  tag: <path d="M4 4h8l8 8-8 8-8-8zM8 8h.5" />,
  antenna: <path d="M12 12v9M8 16a6 6 0 0 1 0-8m8 0a6 6 0 0 1 0 8" />,
  code: <path d="m8 7-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14" />,
  gear: <path d="M4 7h9m4 0h3M4 17h3m4 0h9M15 5v4M9 15v4" />,
  eye: <path d="M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zm10 3a3 3 0 1 0 0-6 3 3 0 0 0 0 6z" />,
  menu: <path d="M4 7h16M4 12h16M4 17h16" />,
  up: <path d="M12 20V5m-6 6 6-6 6 6" />,
  earlier: <path d="m6 15 6-6 6 6" />,
  later: <path d="m6 9 6 6 6-6" />,
  pause: <path d="M8 5v14M16 5v14" />,
  go_on: <path d="M7 5l11 7-11 7z" />,
  search: <path d="M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zm4.8-1.7L20 20" />,
}

export const ShapeIcon = ({ shape }: { shape: Shape }) => (
  <svg className={`shape ${shape}`} viewBox="0 0 16 16" aria-hidden="true">
    {shapes[shape]}
  </svg>
)

export const SignIcon = ({ sign }: { sign: Sign }) => (
  <svg className="sign" viewBox="0 0 24 24" aria-hidden="true">
    {signs[sign]}
  </svg>
)
