// A link asks its payer what its merchant wants to know (contract 8.3), by the public JSON and on
// the page alike; the answers are checked, bounded, and stand where the payment is told of.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { BrowserWithoutScript, formOf, tagOf } from '../setup/browser-without-script.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { callPublic, paymentBody } from '../setup/payer-calls.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await heldToPublished(await app.shop())
})
afterAll(() => app.stop())

const custom_fields = [
  {
    name: 'class',
    label: 'Classe de l’élève',
    type: 'SELECT',
    required: true,
    options: ['6e', '5e'],
  },
  { name: 'pupil', label: 'Nom de l’élève', type: 'TEXT', required: true, options: [] },
  { name: 'year', label: 'Année', type: 'NUMBER', required: false, options: [] },
  { name: 'parent-email', label: 'E-mail du parent', type: 'EMAIL', required: false, options: [] },
  { name: 'parent_phone', label: 'Téléphone', type: 'PHONE', required: false, options: [] },
]
const form = {
  custom_fields,
  require_phone: true,
  redirect_url: 'https://shop.example.com/merci?via=link',
  show_confirmation_page: false,
  facebook_pixel_id: '123456789012345',
  google_ads_id: 'AW-123456789',
}
const usual = { name: 'Tontine', currency: 'XOF', amount: '1000' }

async function make(changes: object = {}): Promise<Json> {
  const { status, data, body } = await shop.post('/payment-links/', { ...usual, ...changes })
  expect(status, JSON.stringify(body)).toBe(201)
  return data
}

const send = (method: string, id: string, body: unknown) =>
  shop.call(method, `/payment-links/${id}/`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

const payer = () => ({
  ...{ email: 'kofi@example.com', first_name: 'Kofi', last_name: 'Mensah' },
  phone: newPayer().phone,
})
const values = { class: '6e', pupil: ' Afi <b>"Mensah"</b> ', year: 2026 }
const checkout = (slug: string, body: object = {}) =>
  callPublic(app, 'POST', `/payment-links/public/${slug}/checkout/`, {
    customer: payer(),
    custom_field_values: values,
    ...body,
  })
const fieldsOf = ({ status, error }: { status: number; error: Json }) => [
  status,
  Object.keys(error ?? {}).toSorted(),
]

describe('a link', () => {
  it('takes, keeps and answers what it asks and where it leads; locks are not its merchant’s', async () => {
    const plain = await make()
    expect(plain).toMatchObject({
      custom_fields: [],
      require_phone: false,
      redirect_url: '',
      show_confirmation_page: true,
      facebook_pixel_id: '',
      google_ads_id: '',
      admin_locked: false,
    })
    const link = await make({ ...form, admin_locked: true })
    expect(link).toMatchObject({ ...form, admin_locked: false })
    expect((await shop.get(`/payment-links/${link.id}/`)).data).toEqual(link)
    const { data: list } = await shop.get('/payment-links/?page_size=1')
    expect(list.results).toEqual([link])

    // PUT asks for what the interface names, and leaves the rest as it was.
    const whole = {
      ...{ name: 'New', description: '', amount_type: 'FIXED', amount: '700', min_amount: null },
      ...{ currency: 'XOF', is_active: true, expires_at: null, usage_limit: null },
    }
    const put = await send('PUT', link.id, whole)
    expect(put).toMatchObject({ status: 200, data: { ...form, name: 'New', amount: '700.00' } })
    const patched = await send('PATCH', link.id, { require_phone: false, custom_fields: null })
    expect(patched.data).toMatchObject({ ...form, require_phone: false, custom_fields: [] })
    const emptied = await send('PATCH', link.id, { redirect_url: null, google_ads_id: '' })
    expect(emptied.data).toMatchObject({ redirect_url: '', google_ads_id: '', custom_fields: [] })
    // What is null in a field is absent, also below a list that may be null itself.
    const field = { name: 'note', label: null, type: null, required: null, options: null, odd: 1 }
    const short = await send('PUT', link.id, { ...whole, custom_fields: [field] })
    expect(short.headers.get('ignored-fields')).toBe('custom_fields.0.odd')
    const [note] = short.data.custom_fields
    expect(note).toEqual({
      name: 'note',
      label: 'note',
      type: 'TEXT',
      required: false,
      options: [],
    })
  })

  it.each([
    ['in small letters', '2031-06-01t08:00:00.5+05:30', '2031-06-01T02:30:00.500Z'],
    ['that is after year 9999 in UTC', '9999-12-31T23:59:59-12:00', '9999-12-31T23:59:59.999Z'],
  ])('takes an end %s', async (_, expires_at, kept) => {
    expect(await make({ expires_at })).toMatchObject({ expires_at: kept })
  })

  it.each([
    [
      'eleven fields',
      { custom_fields: Array.from({ length: 11 }, (_, n) => ({ name: `f${n}` })) },
      'custom_fields',
    ],
    [
      'the same name twice',
      { custom_fields: [{ name: 'a' }, { name: 'a' }] },
      'custom_fields.1.name',
    ],
    ['a name of signs', { custom_fields: [{ name: '__proto__' }] }, 'custom_fields.0.name'],
    ['an unknown type', { custom_fields: [{ name: 'a', type: 'DATE' }] }, 'custom_fields.0.type'],
    [
      'a SELECT of nothing',
      { custom_fields: [{ name: 'a', type: 'SELECT' }] },
      'custom_fields.0.options',
    ],
    ['no list', { custom_fields: 'x' }, 'custom_fields'],
    ['a path', { redirect_url: '/thanks' }, 'redirect_url'],
    ['a script', { redirect_url: 'javascript:alert(1)' }, 'redirect_url'],
    ['a tracker that is markup', { facebook_pixel_id: '"><script>' }, 'facebook_pixel_id'],
    ['a tracker that is markup too', { google_ads_id: '<img>' }, 'google_ads_id'],
    ['a word', { require_phone: 'yes' }, 'require_phone'],
  ])('is refused by its field with %s', async (_, changes, field) => {
    const link = await make()
    for (const reply of [
      await shop.post('/payment-links/', { ...usual, ...changes }),
      await send('PATCH', link.id, changes),
    ]) {
      expect(fieldsOf(reply)).toEqual([400, [field]])
    }
    expect((await shop.get(`/payment-links/${link.id}/`)).data).toEqual(link)
  })

  it('says of a wrong address which ones it takes', async () => {
    const reply = await shop.post('/payment-links/', {
      ...usual,
      redirect_url: 'javascript:alert(1)',
    })
    expect(reply.error.redirect_url).toEqual(['Must be an absolute http or https address.'])
  })

  it('that an older version made asks for nothing more', async () => {
    const link = await make()
    await app.owner`delete from payment_link_forms where id = ${link.id}`
    expect((await shop.get(`/payment-links/${link.id}/`)).data).toEqual(link)
    expect((await checkout(link.slug, { custom_field_values: undefined })).status).toBe(201)
    const changed = await send('PATCH', link.id, { require_phone: true })
    expect(changed.data).toMatchObject({ require_phone: true })
  })
})

describe('the payer’s answers', () => {
  it('stand in the metadata of session, transaction and events, and are told to nobody else', async () => {
    const link = await make(form)
    const seen = await callPublic(app, 'GET', `/payment-links/public/${link.slug}/`)
    expect(seen.data).toMatchObject({
      merchant_name: seen.data.merchant.name,
      is_usable: true,
      unusable_reason: '',
      require_phone: true,
      custom_fields,
    })
    expect(JSON.stringify(seen.data)).not.toMatch(/12345678|merci/)
    const { data } = await checkout(link.slug)
    await callPublic(app, 'POST', `/checkout/${data.slug}/pay/`, paymentBody())
    const { data: page } = await shop.get(`/checkout-sessions/?search=${data.slug}`)
    const [session] = page.results
    const metadata = { custom_fields: { class: '6e', pupil: 'Afi <b>"Mensah"</b>', year: 2026 } }
    expect(session).toMatchObject({ metadata, return_url: form.redirect_url })
    const paid = await shop.becomes(session.transaction, 'SUCCESS')
    expect(paid.metadata).toEqual(metadata)
    await eventually(async () => {
      const { data: feed } = await shop.get('/events/?page_size=200')
      const own = feed.results.filter((one: Json) => one.data.payment_link === link.id)
      expect(own.map(({ event }: Json) => event).toSorted()).toEqual([
        'checkout_session.paid',
        'transaction.created',
        'transaction.success',
      ])
      for (const event of own) expect(event.data.metadata).toEqual(metadata)
    })
    const shown = await callPublic(app, 'GET', `/checkout/${data.slug}/`)
    expect(JSON.stringify(shown.data)).not.toMatch(/Afi|6e"/)
    expect(shown.data.return_url).toBe(form.redirect_url)
  })

  it('that no field asks for are named in Ignored-Fields, with a refusal too', async () => {
    const link = await make(form)
    const own = { custom_field_values: { ...values, clas: '6e', é: 1 } }
    const ignored = async (body: object) => {
      const { status, headers } = await checkout(link.slug, body)
      return [status, headers.get('ignored-fields')]
    }
    const names = 'custom_field_values.clas, custom_field_values.%C3%A9'
    expect(await ignored(own)).toEqual([201, names])
    expect(await ignored({ ...own, amout: 1 })).toEqual([201, `amout, ${names}`])
    const wrong = { custom_field_values: { clas: '6e' } }
    expect(await ignored(wrong)).toEqual([400, 'custom_field_values.clas'])
    expect(await ignored({})).toEqual([201, null])
  })

  it('are checked against the fields, each by its name, with all that is wrong at once', async () => {
    const link = await make({ ...form, amount_type: 'FREE', amount: null })
    const ask = async (custom_field_values: unknown, more: object = {}) =>
      fieldsOf(await checkout(link.slug, { amount: '500', custom_field_values, ...more }))
    const own = (name: string) => `custom_field_values.${name}`
    const needed = [own('class'), own('pupil')]
    for (const nothing of [undefined, null, {}, [], { class: '', pupil: '  ' }, { class: null }]) {
      expect(await ask(nothing)).toEqual([400, needed])
    }
    const wrong = {
      ...{ class: '4e', pupil: 'a\nb', year: 'soon' },
      ...{ 'parent-email': 'x', parent_phone: '12' },
    }
    expect(await ask(wrong)).toEqual([400, Object.keys(wrong).map(own).toSorted()])
    for (const value of [{}, [], true, 'x'.repeat(256), '\u0007']) {
      expect(await ask({ ...values, pupil: value })).toEqual([400, [own('pupil')]])
    }
    expect(await ask(['x'])).toEqual([400, ['custom_field_values']])
    const { phone: _, ...nameless } = payer()
    expect(await ask({}, { amount: '5.5', customer: nameless })).toEqual([
      400,
      ['amount', 'customer.phone', ...needed].toSorted(),
    ])
    const right = {
      ...{ class: '5e', pupil: 'Afi', year: '2026,5', 'parent-email': 'a@b.example' },
      ...{ parent_phone: '+229 01 97 00 00 10', other: 'ignored', __proto__x: 1 },
    }
    expect(await ask(right)).toEqual([201, []])
    const french = await fetch(`${app.url}/api/v1/payment-links/public/${link.slug}/checkout/`, {
      method: 'POST',
      body: JSON.stringify({
        amount: '500',
        customer: payer(),
        custom_field_values: { class: 'x' },
      }),
      headers: { 'content-type': 'application/json', 'accept-language': 'fr' },
    })
    const { error }: Json = await french.json()
    expect(error).toEqual({
      [own('class')]: ['Doit être l’un de : 6e, 5e.'],
      [own('pupil')]: ['Ce champ est obligatoire.'],
    })
  })

  it('fit into the metadata however long ten of them are', async () => {
    const ten = Array.from({ length: 10 }, (_, n) => ({ name: `f${n}`, type: 'TEXT' }))
    const link = await make({ custom_fields: ten })
    const all = (text: string) => Object.fromEntries(ten.map(({ name }) => [name, text]))
    const long = await checkout(link.slug, { custom_field_values: all('é'.repeat(255)) })
    expect(long.status).toBe(201)
    const wide = await checkout(link.slug, { custom_field_values: all('漢'.repeat(255)) })
    expect([201, 400]).toContain(wide.status)
    const row = await app.owner`
      select max(octet_length(metadata::text)) as most from checkout_sessions
       where payment_link = ${link.id}`
    expect(Number(row[0]?.['most'])).toBeLessThanOrEqual(9_000)
  })
})

describe('the page of a link', () => {
  it('asks for the fields in both languages, keeps what was typed, and leads on', async () => {
    const link = await make(form)
    const path = `/pay/${link.slug}`
    const own = new BrowserWithoutScript(app.url, 'fr')
    const first = await own.open(path)
    expect(first.status).toBe(200)
    for (const { label } of custom_fields) expect(first.text).toContain(label)
    expect(first.text).toContain('Facultatif')
    expect(tagOf(first, 'phone')).toContain('required')
    expect(tagOf(first, 'own-pupil')).toContain('required')
    expect(tagOf(first, 'own-year')).not.toContain('required')
    // Data only: no tracker is ever loaded.
    expect(first.html).not.toMatch(/123456789|facebook|google/i)

    const typed = { first_name: 'Kofi', last_name: 'Mensah', email: 'kofi@example.com' }
    const phone = newPayer().phone
    const wrong = { ...typed, phone: '', 'own-pupil': '"><script>x</script>', 'own-class': '4e' }
    const again = await own.submit(first, 'link-form', wrong)
    expect(again.status).toBe(422)
    expect(again.html).not.toContain('<script>x')
    expect(formOf(again, 'link-form').fields).toMatchObject({ 'own-pupil': '"><script>x</script>' })
    for (const id of ['own-class', 'phone']) expect(again.html).toContain(`href="#${id}"`)
    expect(again.text).toContain('Classe de l’élève : choisissez dans la liste.')
    expect(tagOf(again, 'phone')).toContain(' required')

    const right = { ...typed, phone, 'own-pupil': 'Afi', 'own-class': '5e', 'own-year': '' }
    const opened = await own.submit(again, 'link-form', right)
    expect(opened.at).toMatch(/^\/checkout\//)
    const { data } = await shop.get(`/checkout-sessions/?search=${opened.at.split('/').at(-1)}`)
    expect(data.results[0].metadata).toEqual({ custom_fields: { class: '5e', pupil: 'Afi' } })
    await own.submit(opened, 'pay-form', { network: 'mtn_bj', phone })
    const paid = await eventually(async () => {
      const page = await own.open(opened.at)
      expect(page.html).toContain('http-equiv="refresh" content="0;url=https://shop.example.com/')
      return page
    })
    expect(paid.html).not.toMatch(/123456789|facebook|google/i)
    const english = await new BrowserWithoutScript(app.url).open(path)
    expect(english.text).toContain('Optional')
  })
})
