// What a shop's developer needs, under one heading: keys, webhooks and their deliveries, the feed
// of events, the addresses that payouts may come from, and in test the sandbox.

import { Redirect, Route, Switch } from 'wouter'
import { useHere } from '../../parts/place.tsx'
import { NoSuchPage } from '../../parts/shell.tsx'
import Addresses from './addresses.tsx'
import DeliveryDetail from './delivery-detail.tsx'
import DeliveryList from './delivery-list.tsx'
import EventFeed from './event-feed.tsx'
import KeyDetail from './key-detail.tsx'
import KeyForm from './key-form.tsx'
import KeyList from './key-list.tsx'
import Sandbox from './sandbox.tsx'
import WebhookDetail from './webhook-detail.tsx'
import WebhookForm from './webhook-form.tsx'
import WebhookList from './webhook-list.tsx'
import '../../ui/developers.css'

const at = '/:merchant/:mode/developers'

export default function Developers() {
  return (
    <Switch>
      <Route path={`${at}/keys`} component={KeyList} />
      <Route path={`${at}/keys/new`} component={KeyForm} />
      <Route path={`${at}/keys/:id`}>{({ id }) => <KeyDetail key={id} id={id} />}</Route>
      <Route path={`${at}/webhooks`} component={WebhookList} />
      <Route path={`${at}/webhooks/new`} component={WebhookForm} />
      <Route path={`${at}/webhooks/:id`}>{({ id }) => <WebhookDetail key={id} id={id} />}</Route>
      <Route path={`${at}/deliveries`} component={DeliveryList} />
      <Route path={`${at}/deliveries/:id`}>{({ id }) => <DeliveryDetail key={id} id={id} />}</Route>
      <Route path={`${at}/events`} component={EventFeed} />
      <Route path={`${at}/addresses`} component={Addresses} />
      <Route path={`${at}/sandbox`} component={Sandbox} />
      <Route path={at}>
        <First />
      </Route>
      <Route component={NoSuchPage} />
    </Switch>
  )
}

const First = () => <Redirect to={useHere().to('/developers/keys')} replace />
