// A way to another screen. It watches nothing: the router's own listens to the address in each, and
// a list has one in each row.

import type { ComponentProps, MouseEvent } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { root } from '../data/call.ts'

type Props = ComponentProps<'a'> & Readonly<{ href: string }>

/** Where a place of the dashboard is, below whatever path the service is served. */
const addressOf = (href: string): string => root.replace(/\/$/, '') + href

/** `href`: below the dashboard's own root. Another tab, another window: the browser does it. */
export const Link = ({ href, onClick, ...link }: Props) => (
  <a
    {...link}
    href={addressOf(href)}
    onClick={(event: MouseEvent<HTMLAnchorElement>) => {
      const { ctrlKey, metaKey, altKey, shiftKey, button } = event
      if (ctrlKey || metaKey || altKey || shiftKey || button !== 0) return
      onClick?.(event)
      if (event.defaultPrevented) return
      event.preventDefault()
      navigate(addressOf(href))
    }}
  />
)
