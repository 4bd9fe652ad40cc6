// What a shop's developer needs, under one heading: keys, webhooks and their deliveries, the feed
// of events, the addresses that payouts may come from, and in test the sandbox.

import { lazy, type ReactNode, Suspense } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { Empty, Loading } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const KeyList = lazy(() => import('./key-list.tsx'))
const KeyForm = lazy(() => import('./key-form.tsx'))
const KeyDetail = lazy(() => import('./key-detail.tsx'))
const WebhookList = lazy(() => import('./webhook-list.tsx'))
const WebhookForm = lazy(() => import('./webhook-form.tsx'))
const WebhookDetail = lazy(() => import('./webhook-detail.tsx'))
const DeliveryList = lazy(() => import('./delivery-list.tsx'))
const DeliveryDetail = lazy(() => import('./delivery-detail.tsx'))
const EventFeed = lazy(() => import('./event-feed.tsx'))
const Addresses = lazy(() => import('./addresses.tsx'))
const Sandbox = lazy(() => import('./sandbox.tsx'))

const at = '/:merchant/:mode/developers'

export default function Developers() {
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path={`${at}/keys`} component={KeyList} />
        <Route path={`${at}/keys/new`} component={KeyForm} />
        <Route path={`${at}/keys/:id`}>{({ id }) => <KeyDetail key={id} id={id} />}</Route>
        <Route path={`${at}/webhooks`} component={WebhookList} />
        <Route path={`${at}/webhooks/new`} component={WebhookForm} />
        <Route path={`${at}/webhooks/:id`}>{({ id }) => <WebhookDetail key={id} id={id} />}</Route>
        <Route path={`${at}/deliveries`} component={DeliveryList} />
        <Route path={`${at}/deliveries/:id`}>
          {({ id }) => <DeliveryDetail key={id} id={id} />}
        </Route>
        <Route path={`${at}/events`} component={EventFeed} />
        <Route path={`${at}/addresses`} component={Addresses} />
        <Route path={`${at}/sandbox`} component={Sandbox} />
        <Route path={at}>
          <First />
        </Route>
        <Route>
          <Page title={t('not_found')}>
            <Empty>
              <p>{t('not_here')}</p>
            </Empty>
          </Page>
        </Route>
      </Switch>
    </Suspense>
  )
}

const First = () => <Redirect to={useHere().to('/developers/keys')} replace />

const tabs = ['keys', 'webhooks', 'deliveries', 'events', 'addresses', 'sandbox'] as const

type Props = Readonly<{ of: (typeof tabs)[number]; acts?: ReactNode; children: ReactNode }>

/** One of the lists, with the way to the others above it. */
export function Section({ of, acts, children }: Props) {
  const { to, environment } = useHere()
  const [location] = useLocation()
  const shown = tabs.filter((tab) => tab !== 'sandbox' || environment === 'SANDBOX')
  return (
    <Page title={t(`dev_${of}`)} acts={acts}>
      <nav className="tabs" aria-label={t('developers')}>
        {shown.map((tab) => {
          const address = to(`/developers/${tab}`)
          return (
            <Link key={tab} href={address} aria-current={location === address ? 'page' : undefined}>
              {t(`dev_${tab}`)}
            </Link>
          )
        })}
      </nav>
      {children}
    </Page>
  )
}
