// The token of a link, e-mailed or printed: behind `#`, which no server sees. Law: it is read once
// and wiped from the address bar, so neither the history nor a copied address holds it.

import { useEffect, useState } from 'react'

/** As it is where it is no encoded text: such a token is refused in words. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function take(): string {
  const token = decoded(location.hash.slice(1))
  if (token !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return token
}

const taken = { token: '', path: '' }

/** The token that the address came with; empty: none, or the page was loaded anew. */
export function useEmailToken(): string {
  const [token, setToken] = useState(() => {
    const now = take()
    if (now !== '' || taken.path !== location.pathname) {
      Object.assign(taken, { token: now, path: location.pathname })
    }
    return taken.token
  })
  // Another e-mail of the same kind, opened in the same window.
  useEffect(() => {
    const follow = () => {
      const next = take()
      if (next === '') return
      taken.token = next
      setToken(next)
    }
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return token
}
