// What whoever is signed in sees: their merchant's frame and the screen that the address names. It
// is no part of what a stranger's browser loads to sign in or to sign up.

import { QueryClientProvider } from '@tanstack/react-query'
import {
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import type { Me } from '../api/types.gen.ts'
import { type Environment, root } from '../data/call.ts'
import { areNumbersHidden, watchChoices } from '../data/choices.ts'
import { loadScreen, loadTwice } from '../data/load.ts'
import { deedsAreOf, forgetDeeds } from '../data/once.ts'
import { queries } from '../data/queries.ts'
import { isStillTheirs, watchOtherTabs } from '../data/session.ts'
import type { Language } from '../format/amount.ts'
import { OnFirst } from '../parts/on-first.tsx'
import { part } from '../parts/part.ts'
import { addressIn, HereProvider, rememberPlace } from '../parts/place.tsx'
import { describeRefusals } from '../parts/refusals.ts'
import { watchRows } from '../parts/rows.ts'
import { watchScroll } from '../parts/scroll.ts'
import { SecondFactor } from '../parts/second-factor.tsx'
import { SessionEnd } from '../parts/session-end.tsx'
import { SessionOver } from '../parts/session-over.tsx'
import { NoSuchPage, Shell, SignOut, ToAccount } from '../parts/shell.tsx'
import { isPalette, readKey } from '../parts/which-key.ts'
import { Guarded, Loading, reports } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import { moneyScreens } from './money-screens.tsx'
import { screen } from './screen.ts'
import '../ui/inside.css'
import '../ui/manage.css'

describeRefusals()

const loadHome = () => import('../features/home/home.tsx')
const Home = lazy(() => loadScreen(() => loadTwice(loadHome)))
const LinkList = screen(() => import('../features/links/link-list.tsx'))
const LinkForm = screen(() => import('../features/links/link-form.tsx'))
const LinkDetail = screen(() => import('../features/links/link-detail.tsx'))
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

const LeavingBegun = part(() => import('../parts/begun.tsx'))
const Keys = part(() => import('../parts/keys.tsx'), ['screens', 'developers'])
const Palette = part(() => import('../features/search/palette.tsx'), ['screens', 'developers'])

type SignedInProps = Readonly<{ me: Me; language: Language; switcher: ReactNode }>

export default function Dashboard({ me, language, switcher }: SignedInProps) {
  useNewLanguage(language)
  const { id } = me.member
  useEffect(() => forgetOthers(me), [me])
  useEffect(() => deedsAreOf(id), [id])
  useEffect(() => {
    watchPage()
    // Nothing of what was read stays in memory for whoever signs in next.
    return () => queries.clear()
  }, [])
  return (
    <QueryClientProvider client={queries}>
      <Switch>
        <Route path="/me/*?">
          <MePages me={me} switcher={switcher} />
        </Route>
        <Route path="/:merchant/:mode/*?">
          {({ merchant, mode }) => (
            <AtMerchant {...{ me, id: merchant, mode, language, switcher }} />
          )}
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
    </QueryClientProvider>
  )
}

/** What was read of a merchant goes with the membership. */
function forgetOthers({ merchants }: Me): void {
  const own = new Set(['', ...merchants.map(({ id }) => id)])
  queries.removeQueries({ predicate: ({ queryKey: [, of] }) => !own.has(String(of)) })
}

let isWatched = false
const nothing = () => undefined

/** Once a page, however often somebody signs in on it. */
function watchPage(): void {
  if (isWatched) return
  isWatched = true
  import('../data/faults.ts').then(({ reportFault, watchFaults }) => {
    reports.ofPart = (fault) => reportFault('PART', fault)
    watchFaults()
  }, nothing)
  watchOtherTabs(leave)
  watchScroll()
  watchRows()
  addEventListener('pagehide', ({ persisted }) => {
    if (persisted) document.body.classList.add('kept')
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void showAgain()
  })
}

/** What a browser kept for its button Back is empty until it is known whose it would be. */
async function showAgain(): Promise<void> {
  if (await isStillTheirs()) document.body.classList.remove('kept')
  else leave()
}

/**
 * The page is loaded anew: nothing of what was read stays in memory. A browser may keep the page
 * itself for its button Back, and shows it as it was left: empty, until it is loaded too.
 */
function leave(): void {
  forgetDeeds()
  document.body.hidden = true
  addEventListener('pageshow', () => location.reload())
  location.assign(root)
}

/** The API's own sentences come in the reader's language too. */
function useNewLanguage(language: Language): void {
  const shown = useRef(language)
  useEffect(() => {
    if (shown.current !== language) queries.invalidateQueries()
    shown.current = language
  }, [language])
}

function FirstPlace({ me }: { me: Me }) {
  const [merchant] = me.merchants
  if (merchant === undefined) {
    return (
      <main className="entry" id="main">
        <h1>{t('no_merchant')}</h1>
        <p>{t('no_merchant_how')}</p>
        <div className="acts">
          <ToAccount />
          <SignOut onSignedOut={leave} />
        </div>
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
  switcher: ReactNode
}>

/**
 * A merchant that is not the reader's leads to their own first one, and says nothing; live that is
 * not open leads to the test of the same merchant, whose Home says what is left to do for it.
 */
function AtMerchant({ me, id, mode, language, switcher }: AtMerchantProps) {
  const [path] = useLocation()
  const hidesNumbers = useSyncExternalStore(watchChoices, areNumbersHidden)
  const merchant = me.merchants.find((one) => one.id === id)
  const environment: Environment = mode === 'live' ? 'LIVE' : 'SANDBOX'
  const here = useMemo(
    () => merchant && { me, merchant, environment, language, hidesNumbers },
    [me, merchant, environment, language, hidesNumbers],
  )
  useEffect(() => {
    if (here !== undefined) rememberPlace(addressIn(here, ''))
  }, [here])
  if (merchant === undefined || here === undefined) return <FirstPlace me={me} />
  const isOpen = environment === 'SANDBOX' || merchant.live_enabled
  if (!isOpen || !['live', 'test'].includes(mode)) {
    return <Redirect to={addressIn({ merchant, environment: 'SANDBOX' }, '')} replace />
  }
  return (
    <HereProvider value={here}>
      <Shell key={`${id} ${mode} ${language}`} switcher={switcher} onSignedOut={leave}>
        <Guarded at={path}>
          <Suspense fallback={<Loading />}>
            <Screens />
          </Suspense>
        </Guarded>
        <OnFirst event="keydown" read={readKey}>
          {(first) => <Keys first={first} />}
        </OnFirst>
        <OnFirst event="keydown" read={isPalette}>
          {() => <Palette />}
        </OnFirst>
      </Shell>
    </HereProvider>
  )
}

/** The same person goes on where they were; another one begins with an empty page. */
const goOn = (isSomebodyElse: boolean): unknown =>
  isSomebodyElse ? leave() : queries.invalidateQueries()

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
