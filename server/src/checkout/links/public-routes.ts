// What anybody may do who has a link (contract 6.2): read it, and open a session by it.

import { Type } from 'typebox'
import { orderErrors } from '../../orders/errors.ts'
import { paymentErrors } from '../../planning/errors.ts'
import { created, type Input, ok, type Route } from '../../platform/http/route.ts'
import { reads, routesWith } from '../../platform/http/route-list.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { countPublic, type PublicDeps } from '../public/payer.ts'
import { checkoutUrl } from '../view.ts'
import { unknownValues } from './custom-fields.ts'
import { checkPayer, LinkPayerBody } from './link-body.ts'
import { type LinkPayer, openLink, sessionByLink } from './open-link.ts'
import { PublicLinkSchema, publicLinkExample, viewPublicLink } from './view.ts'

const ofLink = {
  errors: [
    accessErrors.rate_limited,
    paymentErrors.no_route_available,
    orderErrors.payment_link_inactive,
    orderErrors.payment_link_expired,
    orderErrors.payment_link_exhausted,
    orderErrors.payment_link_incomplete,
  ],
} as const

export const publicLinkRoutes = (deps: PublicDeps): Route[] =>
  routesWith({ tag: 'Hosted checkout', access: 'public' }, [
    {
      ...ofLink,
      path: '/payment-links/public/:slug/',
      summary: 'Retrieve the public view of a payment link',
      ...reads(PublicLinkSchema, publicLinkExample),
      handler: async (input) => {
        await countPublic(deps, input)
        const { link, profile } = await openLink(deps.db, input.params['slug'] ?? '')
        return ok(viewPublicLink(link, profile, deps.public_url))
      },
    },
    {
      ...ofLink,
      method: 'POST',
      path: '/payment-links/public/:slug/checkout/',
      body: LinkPayerBody,
      check: checkPayer,
      summary: 'Open a checkout session from a payment link',
      responses: {
        201: Type.Object({ slug: Type.String(), checkout_url: Type.String({ format: 'uri' }) }),
      },
      errors: [...ofLink.errors, paymentErrors.no_exchange_rate],
      example: {
        body: { customer: { phone: '+2290197000010' } },
        reply: {
          slug: 'q3Vd0mY7x1Zs5kN8bT2wR6cL9aH4gJfP',
          checkout_url: 'https://pay.example.com/checkout/q3Vd0mY7x1Zs5kN8bT2wR6cL9aH4gJfP',
        },
      },
      handler: async (input: Input<LinkPayer>) => {
        await countPublic(deps, input)
        const opened = await openLink(deps.db, input.params['slug'] ?? '')
        const unknown = unknownValues(opened.link.custom_fields, input.body.custom_field_values)
        if (unknown.length > 0) input.reportIgnored?.(unknown)
        const session = await sessionByLink(deps, opened, input.body, input)
        return created({ slug: session.slug, checkout_url: checkoutUrl(deps.public_url, session) })
      },
    },
  ])
