// The frame of every screen: whose books these are, test or live, the menu, the person. In test a
// band says so over every page; nothing closes it.

import { memo, type ReactNode, useEffect, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Me } from '../api/types.gen.ts'
import { serviceNow } from '../data/clock.ts'
import { followChanges } from '../data/follow.ts'
import { writeExactly, zoneName } from '../format/moment.ts'
import { Button, textIn } from '../ui/form.tsx'
import { SignIcon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import { Empty } from '../ui/state.tsx'
import { useIsWide } from '../ui/wide.ts'
import { t } from '../words/translate.ts'
import { Bands } from './bands.tsx'
import { Menu } from './menu.tsx'
import { addressIn, type Here, useHere } from './place.tsx'
import { comeBack, isComingBack } from './scroll.ts'
import { useSignOut } from './sign-out.tsx'
import { ThemeChoice } from './theme.tsx'

type ShellProps = Readonly<{
  switcher: ReactNode
  onSignedOut: () => void
  children: ReactNode
}>

export function Shell({ switcher, onSignedOut, children }: ShellProps) {
  const here = useHere()
  const { merchant, environment } = here.place
  useEffect(() => followChanges({ merchant, environment }), [merchant, environment])
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {t('skip')}
      </a>
      <p className="on-paper">
        <bdi>{here.merchant.name}</bdi> · {t(`mode_${here.environment}`).toUpperCase()} ·{' '}
        {writeExactly(new Date(serviceNow()).toISOString(), here.clock)} (
        {zoneName(here.clock.zone)})
      </p>
      <Top switcher={switcher} onSignedOut={onSignedOut} />
      <Menu here={here} />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** Another screen below it is no reason to draw it anew. */
const Top = memo(function Top({ switcher, onSignedOut }: Omit<ShellProps, 'children'>) {
  const here = useHere()
  return (
    <header>
      {here.environment === 'SANDBOX' && <TestBand />}
      {here.merchant.status === 'SUSPENDED' && <Suspended />}
      <Bands />
      <div className="top">
        <MerchantSwitch here={here} />
        <ModeSwitch here={here} />
        <ToSearch here={here} />
        <Person here={here} switcher={switcher} onSignedOut={onSignedOut} />
      </div>
    </header>
  )
})

/** What a test is, how its outcomes are chosen, and the way to live, for whoever may go there. */
function TestBand() {
  const { merchant, may, to } = useHere()
  const [play, papers] = ['/developers/sandbox', '/settings/verification']
  const isLeft = !merchant.live_enabled && may('settings')
  return (
    <p className="test-band">
      {t('test_band')} <span className="on-desk">· {t('test_band_numbers')}</span>{' '}
      {may('payins') && <Link href={to(play)}>{t('test_band_play')}</Link>}{' '}
      {isLeft && <Link href={to(papers)}>{t('test_band_live')}</Link>}
    </p>
  )
}

/** The list that a screen belongs to: a form or a record is of one shop, and of one mode. */
function listOf(location: string): string {
  const [, , , ...parts] = location.split('/')
  const end = parts.findIndex((part) => /[^a-z]|^new$/.test(part))
  return ['', ...(end < 0 ? parts : parts.slice(0, end))].join('/')
}

/**
 * A list has changed before anybody can be asked about what is left behind: it is set back, and
 * goes by a button that nobody sees, which is asked about as every other way from a screen.
 */
function MerchantSwitch({ here }: { here: Here }) {
  const [location, navigate] = useLocation()
  const chosen = useRef(here.merchant)
  const way = useRef<HTMLButtonElement>(null)
  const { merchants } = here.me
  if (merchants.length < 2) return <b className="merchant">{here.merchant.name}</b>
  const go = () => {
    const merchant = chosen.current
    const isLive = here.environment === 'LIVE' && merchant.live_enabled
    navigate(addressIn({ merchant, environment: isLive ? 'LIVE' : 'SANDBOX' }, listOf(location)))
  }
  return (
    <>
      <select
        className="merchant"
        aria-label={t('merchant')}
        value={here.merchant.id}
        onChange={({ currentTarget: list }) => {
          chosen.current = merchants.find(({ id }) => id === list.value) ?? here.merchant
          list.value = here.merchant.id
          way.current?.click()
        }}
      >
        {merchants.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <button type="button" hidden className="way" ref={way} onClick={go} />
    </>
  )
}

/** The screen stays and its list begins anew: an id of the one mode does not exist in the other. */
function ModeSwitch({ here }: { here: Here }) {
  const [location] = useLocation()
  if (!here.merchant.live_enabled) return <span className="mode on">{t('mode_SANDBOX')}</span>
  return (
    <nav className="modes" aria-label={t('mode')}>
      {(['LIVE', 'SANDBOX'] as const).map((environment) => (
        <Link
          key={environment}
          className={`mode ${environment === here.environment ? 'on' : ''} ${environment}`}
          aria-current={environment === here.environment ? 'true' : undefined}
          href={addressIn({ merchant: here.merchant, environment }, listOf(location))}
        >
          {t(`mode_${environment}`)}
        </Link>
      ))}
    </nav>
  )
}

/** A field on a desk; on a telephone what leads to one. On its own page that one is enough. */
function ToSearch({ here }: { here: Here }) {
  const isWide = useIsWide()
  const [location, navigate] = useLocation()
  const path = addressIn(here, '/search')
  if (isWide && location === path) return <span className="to-search" />
  if (!isWide) {
    return (
      <Link className="to-search" href={path}>
        <SignIcon sign="search" />
        <span className="unseen">{t('search')}</span>
      </Link>
    )
  }
  return (
    <search className="to-search">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const q = textIn(new FormData(event.currentTarget), 'q')
          navigate(q === '' ? path : `${path}?${new URLSearchParams({ q })}`)
          event.currentTarget.reset()
        }}
      >
        <SignIcon sign="search" />
        <input
          type="search"
          name="q"
          maxLength={200}
          aria-label={t('search_everywhere')}
          placeholder={t('search_everywhere')}
        />
      </form>
    </search>
  )
}

type SupportProps = Readonly<{ of: Pick<Me, 'support_contact'>; look?: string }>

/** To the people of the service, where they have said how. */
const ToSupport = ({ of: { support_contact: href }, look }: SupportProps) =>
  href !== null && (
    <a className={look} href={href} rel="noreferrer">
      {t('contact_support')}
    </a>
  )

/** To one's own account, and out: also of whoever is in no merchant's frame. */
export const ToAccount = () => (
  <Link className="button plain" href="/me">
    {t('me_open')}
  </Link>
)

export function SignOut({ onSignedOut }: Pick<ShellProps, 'onSignedOut'>) {
  const { said, leave } = useSignOut(onSignedOut)
  return (
    <>
      {said}
      <Button look="plain" onClick={leave}>
        {t('sign_out')}
      </Button>
    </>
  )
}

type PersonProps = Pick<ShellProps, 'switcher' | 'onSignedOut'> & { here: Here }

function Person({ here, switcher, onSignedOut }: PersonProps) {
  const { first_name, last_name, email } = here.me.member
  const name = `${first_name} ${last_name}`.trim()
  return (
    <details
      className="person"
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape' || !currentTarget.open) return
        currentTarget.removeAttribute('open')
        currentTarget.querySelector('summary')?.focus()
      }}
    >
      <summary>
        <SignIcon sign="person" />
        <span className="unseen">{t('account')}</span>
      </summary>
      <div className="person-menu">
        <p>
          {name !== '' && <b>{name}</b>}
          <span className="mute small">{email}</span>
          <span className="mute small">
            <bdi>{here.merchant.name}</bdi> · {t(`role_${here.merchant.role}`)}
          </span>
        </p>
        <ToAccount />
        <ToSupport of={here.me} look="button plain" />
        <ThemeChoice />
        {switcher}
        <SignOut onSignedOut={onSignedOut} />
      </div>
    </details>
  )
}

type PageProps = Readonly<{ title: string; acts?: ReactNode; children: ReactNode }>

/** A screen: its heading takes the focus when the reader comes to it from another one. */
export function Page({ title, acts, children }: PageProps) {
  const { environment } = useHere()
  const heading = useRef<HTMLHeadingElement>(null)
  const [location] = useLocation()
  const search = useSearch()
  useEffect(() => {
    const test = environment === 'SANDBOX' ? `${t('mode_SANDBOX').toUpperCase()} · ` : ''
    document.title = `${test}${title} · Pirogue`
  }, [title, environment])
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the address is another one
  useEffect(() => {
    if (arrived) heading.current?.focus({ preventScroll: isComingBack() })
    arrived = true
  }, [location])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page of a list as well
  useEffect(comeBack, [location, search])
  return (
    <>
      <div className="heading">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {acts}
      </div>
      {children}
    </>
  )
}

/** The first screen leaves the focus where the browser has put it. */
let arrived = false

/** Since when and why: what the reader asks first. */
function Suspended() {
  const { merchant, moment, me } = useHere()
  const { suspended_at: at, suspended_reason: reason } = merchant
  return (
    <p className="stop-band">
      {t('suspended')} <ToSupport of={me} />{' '}
      {at !== null && t('suspended_since', { at: moment(at) })}
      {reason !== '' && (
        <>
          {' '}
          {t('suspended_why')}
          {t('colon')} <bdi>{reason}</bdi>
        </>
      )}
    </p>
  )
}

/** An address that leads to no screen, and where to go on from it. */
export function NoSuchPage() {
  const { to } = useHere()
  return (
    <Page title={t('not_found')}>
      <Empty>
        <p>{t('not_here')}</p>
        <Link className="button act" href={to('/')}>
          {t('go_home')}
        </Link>
      </Empty>
    </Page>
  )
}
