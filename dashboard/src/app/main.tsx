// The start: the reader's language, who is signed in, and what opens to whoever is not. All else is
// loaded once somebody is signed in, or types: a stranger's telephone loads half as much (30 kB).

import { StrictMode, Suspense, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Route, Router, Switch } from 'wouter'
import { configureCalls, root } from '../data/call.ts'
import { keep, kept } from '../data/kept.ts'
import { loadScreen } from '../data/load.ts'
import { findSession, rightsLost, sessionEnded, useSession, wasSignedIn } from '../data/session.ts'
import { wearTheme } from '../data/theme.ts'
import type { Language } from '../format/amount.ts'
import { LanguageSwitch } from '../parts/language-switch.tsx'
import { SignInPage, Unreached } from '../parts/sign-in.tsx'
import { Loading } from '../ui/state.tsx'
import { expectWords, languageNow, languageOfReader, speak } from '../words/translate.ts'
import { screen } from './screen.ts'
import '../ui/style.css'
import '../ui/parts.css'

const language_key = 'pirogue-language'

const loadDashboard = () => import('./dashboard.tsx')
const Dashboard = screen(loadDashboard, ['frame'])
const Entrance = screen(() => import('../features/entrance/entrance.tsx'), ['entrance'])

function Page() {
  const session = useSession()
  const [language, setLanguage] = useState<Language>(languageNow)
  const choose = async (next: Language) => {
    await speak(next)
    keep(language_key, next)
    configureCalls({ language: next })
    setLanguage(next)
  }
  const switcher = <LanguageSwitch language={language} onChoose={choose} />
  return (
    <Router base={root.replace(/\/$/, '')}>
      <Suspense fallback={<Loading />}>
        <Switch>
          {entrances.map((path) => (
            <Route key={path} path={path}>
              <Entrance switcher={switcher} />
            </Route>
          ))}
          <Route>
            {session.is === 'unknown' && <Loading />}
            {session.is === 'unreached' && <Unreached />}
            {session.is === 'out' && <SignInPage switcher={switcher} />}
            {(session.is === 'in' || session.is === 'over') && (
              <Dashboard {...{ me: session.me, language, switcher }} />
            )}
          </Route>
        </Switch>
      </Suspense>
    </Router>
  )
}

/** What opens to whoever comes, signed in or not. */
const entrances = [
  '/register',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/invitation',
  '/keep-second-factor',
  '/sign-in-link',
] as const

/** Whoever comes to no screen by name, or to a merchant's first. */
const isHome = (path: string): boolean =>
  path.startsWith(root.slice(0, -1)) &&
  /^(\/[^/]+\/(test|live))?\/?$/.test(path.slice(root.length - 1))

/**
 * Beside the question who is signed in, not after it: on a slow network that is a way there and
 * back less. A stranger's browser loads it while they type.
 */
function loadAhead(): void {
  const ignore = () => undefined
  if (!wasSignedIn()) {
    document.addEventListener('input', () => loadDashboard().catch(ignore), { once: true })
    return
  }
  expectWords(['frame'])
  loadDashboard().catch(ignore)
  const path = location.pathname
  if (!isHome(path)) return
  import('../features/home/home.tsx').then(({ readToday }) => readToday(path)).catch(ignore)
}

async function start(into: HTMLElement): Promise<void> {
  const language = languageOfReader(kept(language_key))
  configureCalls({ language, onSessionOver: sessionEnded, onRightsLost: rightsLost })
  loadAhead()
  wearTheme()
  await Promise.all([loadScreen(() => speak(language)), findSession()])
  into.replaceChildren()
  createRoot(into).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  )
}

const into = document.getElementById('app')
if (into !== null) await start(into)
