// Whether there is the room of a desk.

import { useEffect, useState } from 'react'

/** What the layout of a list depends on; asked of the browser once. */
const wide = matchMedia('(min-width: 60rem)')

export function useIsWide(): boolean {
  const [isWide, setIsWide] = useState(wide.matches)
  useEffect(() => {
    const follow = () => setIsWide(wide.matches)
    wide.addEventListener('change', follow)
    return () => wide.removeEventListener('change', follow)
  }, [])
  return isWide
}
