// The payer's page as it would look with a name and a colour that are not saved, for whoever
// changes them; and whether the colour can be read. Law: the page is drawn by what draws the true
// one, and nothing in it runs, is sent or can be paid: its policy is a sandbox without a script.

import { type Static, Type } from 'typebox'
import type { Checkout } from '../checkout/public/payer.ts'
import { profileIn } from '../merchants/settings/profile.ts'
import { readProfile } from '../merchants/settings/read-settings.ts'
import type { Session } from '../orders/session.ts'
import { assert } from '../platform/errors.ts'
import type { PageInput } from '../platform/http/page-route.ts'
import { type FileReply, type Input, ok, type ServedRoute } from '../platform/http/route.ts'
import { reads, routesWith } from '../platform/http/route-list.ts'
import { choosePage } from './choose-page.ts'
import { contrast, isColour, legibleOn, paper, platform_colour, textOn } from './colour.ts'
import { type PageDeps, prefixOf } from './visit.ts'
import { translateIn } from './words.ts'

const colourWord = (description: string) => Type.String({ description })
const ratio = (description: string) => Type.String({ description })

const ShadeSchema = Type.Object(
  {
    ground: colourWord('The colour of the paper.'),
    colour: colourWord('The nearest shade of yours that can be read on it.'),
    contrast: ratio('Of that shade, to 1; 4.5 at least.'),
    own_contrast: ratio('Of your colour as it is.'),
    is_moved: Type.Boolean({ description: 'Your colour could not be read and was moved.' }),
  },
  { title: 'BrandingShade' },
)

const LegibilitySchema = Type.Object(
  {
    colour: colourWord('What buttons are filled with: yours, or ours where you have none.'),
    text: colourWord('What stands on it: white, or black where white could not be read.'),
    text_contrast: ratio('Between both, to 1.'),
    light: ShadeSchema,
    dark: ShadeSchema,
  },
  { title: 'BrandingLegibility' },
)

const PreviewQuery = Type.Object({
  name: Type.Optional(
    Type.String({ maxLength: 60, description: 'Absent or empty: the shop’s own.' }),
  ),
  colour: Type.Optional(
    Type.String({
      pattern: '^(#[0-9a-fA-F]{6})?$',
      description: 'Absent or empty: ours.',
      'x-message': {
        en: 'Must be a colour such as #0a7d4f, or empty.',
        fr: 'Doit être une couleur comme #0a7d4f, ou vide.',
      },
    }),
  ),
  theme: Type.Optional(Type.Enum(['light', 'dark'], { description: 'Of the page; `light`.' })),
  format: Type.Optional(Type.Enum(['json', 'html'], { description: '`html`: the page.' })),
})

export const previewRoutes = (deps: PageDeps): ServedRoute[] =>
  routesWith({ tag: 'Settings', access: 'dashboard' }, [
    {
      path: '/merchant/branding/preview/',
      query: PreviewQuery,
      summary: 'See the payment page with a brand that is not saved',
      description:
        'Without `format`: how well the colour can be read (WCAG 2.1), and the shades that the ' +
        'pages move it to. With `format=html`: the page where a payment begins, as your payers ' +
        'would see it; nothing in it works, and only pages of this origin may frame it.',
      also: { 'text/html': Type.String() },
      ...reads(LegibilitySchema, legibilityOf('#0a7d4f')),
      handler: async (input) => {
        const { query } = input
        if (query['format'] === 'html') return previewPage(deps, input)
        return ok(legibilityOf(query['colour'] ?? ''))
      },
    },
  ])

function legibilityOf(brand_colour: string): Static<typeof LegibilitySchema> {
  const colour = isColour(brand_colour) ? brand_colour.toLowerCase() : platform_colour
  const shadeOn = (ground: string) => {
    const shade = legibleOn(ground, colour)
    const own_contrast = written(contrast(colour, ground))
    const moved = { is_moved: shade !== colour, own_contrast }
    return { ground, colour: shade, contrast: written(contrast(shade, ground)), ...moved }
  }
  const text = textOn(colour)
  return {
    ...{ colour, text, text_contrast: written(contrast(colour, text)) },
    ...{ light: shadeOn(paper.light), dark: shadeOn(paper.dark) },
  }
}

/** Cut, not rounded: what is not enough never looks as if it were. */
const written = (value: number): string => (Math.floor(value * 100) / 100).toFixed(2)

async function previewPage(deps: PageDeps, input: Input): Promise<FileReply> {
  const { caller, query, locale, ip, request_id } = input
  const checkout = await madeUpCheckout(deps, input)
  const { profile, target } = checkout
  const asker: PageInput = {
    ...{ params: {}, query: {}, form: {}, cookies: {}, locale, ip, request_id },
    is_machine: false,
  }
  const reply = await choosePage(deps, {
    visit: {
      input: asker,
      checkout,
      t: translateIn(locale),
      here: `${prefixOf(deps)}/checkout/${target.session.slug}`,
      brand: {
        name: profile.brand_name || profile.name,
        colour: profile.brand_colour,
        logo: await deps.logoOf(profile),
        is_test: caller.environment === 'SANDBOX',
        contact: profile.contact,
        image: undefined,
        shown_in: query['theme'] === 'dark' ? 'dark' : 'light',
      },
    },
    payment: undefined,
    problem: undefined,
  })
  assert(reply.is === 'page', 'a page that chooses is a page')
  return {
    status: reply.status,
    file: reply.page.toString(),
    content_type: 'text/html; charset=utf-8',
    headers: { 'Content-Security-Policy': reply.policy, 'X-Frame-Options': 'SAMEORIGIN' },
  }
}

/** What was typed, and a session that is nowhere; in LIVE as if staff had seen the name. */
async function madeUpCheckout(deps: PageDeps, { caller, query }: Input): Promise<Checkout> {
  const { merchant_id, environment } = caller
  const saved = await readProfile(deps.db, merchant_id)
  const brand_name = query['name'] ?? ''
  const typed = {
    ...saved,
    ...{ brand_name, reviewed_brand_name: brand_name, is_suspended: false },
    brand_colour: query['colour'] ?? '',
  }
  const profile = profileIn(typed, environment)
  const catalogue = await deps.catalogue(profile.catalogue_version)
  const currency = catalogue.countryByCode(saved.country ?? '')?.default_currency ?? 'XOF'
  return {
    profile,
    target: { session: madeUp({ merchant_id, environment, currency }), link: undefined },
  }
}

const nothing = '00000000-0000-7000-8000-000000000000'
/** Hundredths. */
const example_sum = 500_000n

const madeUp = (
  of: Pick<Session, 'merchant_id' | 'environment' | 'currency'>,
  now = new Date(),
): Session => ({
  ...of,
  ...{ id: nothing, slug: 'preview', created_by_member: null, amount: example_sum },
  ...{ description: '', country: null, metadata: {}, fee_charge_mode: null },
  ...{ customer_email: '', customer_name: '', customer_phone: '', return_url: '' },
  ...{ merchant_reference: '', status: 'PENDING', version: 1, expires_at: null },
  ...{ transaction_id: null, paid_by: null, pending_payment: null, payments: 0 },
  ...{ payment_link: null, paid_at: null, created_at: now, updated_at: now },
  ...{ has_expired: false, ends_in_s: 3600 },
})
