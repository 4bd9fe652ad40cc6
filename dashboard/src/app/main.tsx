// The start: the reader's language, who is signed in, and the screen that the address names. A
// screen is loaded when it is opened.

import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, StrictMode, Suspense, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Redirect, Route, Router, Switch, useLocation } from 'wouter'
import type { Me } from '../api/types.gen.ts'
import { configureCalls, root } from '../data/call.ts'
import { wearTheme } from '../data/choices.ts'
import { forgetDeeds } from '../data/once.ts'
import { queries } from '../data/queries.ts'
import { findSession, sessionEnded, useSession, watchOtherTabs } from '../data/session.ts'
import type { Language } from '../format/amount.ts'
import { OnFirst } from '../parts/on-first.tsx'
import { addressIn, HereProvider } from '../parts/place.tsx'
import { watchScroll } from '../parts/scroll.ts'
import { SecondFactor } from '../parts/second-factor.tsx'
import { SessionEnd } from '../parts/session-end.tsx'
import { LanguageSwitch, NoSuchPage, Shell } from '../parts/shell.tsx'
import { SessionOver, SignInPage, Unreached } from '../parts/sign-in.tsx'
import { readKey } from '../parts/which-key.ts'
import { Guarded, Loading } from '../ui/state.tsx'
import { languageNow, languageOfReader, speak, t } from '../words/translate.ts'
import { moneyScreens } from './money-screens.tsx'
import { screen } from './screen.ts'
import '../ui/style.css'
import '../ui/parts.css'
import '../ui/manage.css'

const loadHome = () => import('../features/home/home.tsx')
const Home = lazy(loadHome)
const LinkList = screen(() => import('../features/links/link-list.tsx'))
const LinkForm = screen(() => import('../features/links/link-form.tsx'))
const LinkDetail = screen(() => import('../features/links/link-detail.tsx'))
const Entrance = screen(() => import('../features/entrance/entrance.tsx'), ['entrance'])
const Team = screen(() => import('../features/team/team.tsx'))
const Settings = screen(() => import('../features/settings/settings.tsx'))
const Search = screen(() => import('../features/search/search.tsx'))
const Audit = screen(() => import('../features/audit/audit.tsx'), ['screens', 'acts'])
const MePages = screen(() => import('../features/me/me.tsx'))
const Developers = screen(
  () => import('../features/developers/developers.tsx'),
  ['screens', 'developers'],
)

/** Typed into a form of a screen. */
const fieldOf = ({ target }: Event): EventTarget | null =>
  target instanceof Element && target.closest('main form') !== null ? target : null

const LeavingBegun = screen(() => import('../parts/begun.tsx'))
const Keys = screen(() => import('../parts/keys.tsx'))

function Dashboard() {
  const session = useSession()
  const [language, setLanguage] = useState<Language>(languageNow)
  const choose = async (next: Language) => {
    await speak(next, true)
    configureCalls({ language: next })
    setLanguage(next)
    // The API's own sentences come in the reader's language too.
    await queries.invalidateQueries()
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
            {session.is === 'out' && (
              <SignInPage switcher={switcher} onSignedIn={() => queries.clear()} />
            )}
            {(session.is === 'in' || session.is === 'over') && (
              <SignedIn {...{ me: session.me, language, switcher }} />
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
] as const

type SignedInProps = Readonly<{ me: Me; language: Language; switcher: React.ReactNode }>

const SignedIn = ({ me, language, switcher }: SignedInProps) => (
  <>
    <Switch>
      <Route path="/me/*?">
        <MePages me={me} switcher={switcher} />
      </Route>
      <Route path="/:merchant/:mode/*?">
        {({ merchant, mode }) => <AtMerchant {...{ me, id: merchant, mode, language, switcher }} />}
      </Route>
      <Route>
        <FirstPlace me={me} />
      </Route>
    </Switch>
    <OnFirst event="input" read={fieldOf}>
      {(first) => <LeavingBegun first={first} />}
    </OnFirst>
    <SecondFactor />
    <SessionEnd onSignedOut={leave} />
    <SessionOver onSignedIn={goOn} />
  </>
)

function FirstPlace({ me }: { me: Me }) {
  const [merchant] = me.merchants
  if (merchant === undefined) {
    return (
      <main className="entry" id="main">
        <h1>{t('no_merchant')}</h1>
        <p>{t('no_merchant_how')}</p>
      </main>
    )
  }
  const environment = merchant.live_enabled ? 'LIVE' : 'SANDBOX'
  return <Redirect to={addressIn({ merchant, environment }, '')} replace />
}

type AtMerchantProps = Readonly<{
  me: Me
  id: string
  mode: string
  language: Language
  switcher: React.ReactNode
}>

/**
 * A merchant that is not the reader's leads to their own first one, and says nothing; live that is
 * not open leads to the test of the same merchant, whose Home says what is left to do for it.
 */
function AtMerchant({ me, id, mode, language, switcher }: AtMerchantProps) {
  const [path] = useLocation()
  const merchant = me.merchants.find((one) => one.id === id)
  const environment = mode === 'live' ? 'LIVE' : 'SANDBOX'
  if (merchant === undefined) return <FirstPlace me={me} />
  const isOpen = environment === 'SANDBOX' || merchant.live_enabled
  if (!isOpen || !['live', 'test'].includes(mode)) {
    return <Redirect to={addressIn({ merchant, environment: 'SANDBOX' }, '')} replace />
  }
  return (
    <HereProvider value={{ me, merchant, environment, language }}>
      <Shell key={`${id} ${mode} ${language}`} switcher={switcher} onSignedOut={leave}>
        <Guarded at={path}>
          <Suspense fallback={<Loading />}>
            <Screens />
          </Suspense>
        </Guarded>
        <OnFirst event="keydown" read={readKey}>
          {(first) => <Keys first={first} />}
        </OnFirst>
      </Shell>
    </HereProvider>
  )
}

/** The same person goes on where they were; another one begins with an empty page. */
const goOn = (isSomebodyElse: boolean): unknown =>
  isSomebodyElse ? leave() : queries.invalidateQueries()

/** The page is loaded anew: nothing of what was read stays in memory. */
const leave = (): void => {
  forgetDeeds()
  location.assign(root)
}

const below = (path: string): string => `/:merchant/:mode/${path}`

const Screens = () => (
  <Switch>
    <Route path="/:merchant/:mode">
      <Home />
    </Route>
    {moneyScreens.map(({ path, show }) => (
      <Route<{ id?: string }> key={path} path={below(path)}>
        {({ id = '' }) => show(id)}
      </Route>
    ))}
    <Route path="/:merchant/:mode/links">
      <LinkList />
    </Route>
    <Route path="/:merchant/:mode/links/new">
      <LinkForm />
    </Route>
    <Route path="/:merchant/:mode/links/:id">{({ id }) => <LinkDetail key={id} id={id} />}</Route>
    <Route path="/:merchant/:mode/developers/*?" component={Developers} />
    <Route path="/:merchant/:mode/team" component={Team} />
    <Route path="/:merchant/:mode/settings/*?" component={Settings} />
    <Route path="/:merchant/:mode/search" component={Search} />
    <Route path="/:merchant/:mode/audit" component={Audit} />
    <Route component={NoSuchPage} />
  </Switch>
)

/** Whoever comes to no screen by name, or to a merchant's first. */
const isHome = (path: string): boolean =>
  path.startsWith(root.slice(0, -1)) &&
  /^(\/[^/]+\/(test|live))?\/?$/.test(path.slice(root.length - 1))

async function start(into: HTMLElement): Promise<void> {
  const language = languageOfReader()
  configureCalls({ language, onSessionOver: sessionEnded })
  // Beside the session, not after it: on a slow network that is a way there and back less.
  if (isHome(location.pathname)) loadHome().catch(() => undefined)
  watchOtherTabs(leave)
  watchScroll()
  wearTheme()
  await Promise.all([speak(language), findSession()])
  into.replaceChildren()
  createRoot(into).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Dashboard />
      </QueryClientProvider>
    </StrictMode>,
  )
}

const into = document.getElementById('app')
if (into !== null) await start(into)
